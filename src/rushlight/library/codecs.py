"""Image files decoded and encoded by Pillow (JPEG files by the core, where they are as most are), as torchvision's
codecs do: arrays (H, W, C), and errors for every file that is none.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from rushlight.core import _native
from rushlight.core.warning import warn
from rushlight.library import damage, png16

# torchvision's ImageReadMode.
UNCHANGED, GRAY, GRAY_ALPHA, RGB, RGB_ALPHA = range(5)
_PNG, _GIF, _WEBP = b"\x89PNG\r\n\x1a\n", (b"GIF87a", b"GIF89a"), (b"RIFF", b"WEBP")
# A file holds at most so many pixels per byte: a deflated PNG of one bit per pixel has the most, 8 * 1032. A file that
# claims more is not complete, and would take more memory than its size shows.
_MOST_A_BYTE, _ALWAYS = 8256, 1 << 24
_MOST_OF_FRAMES = 1 << 30  # bytes of all frames of a GIF file


def _pillow() -> ModuleType:
    """The package Pillow, with the decoder of each format."""
    try:
        import PIL.GifImagePlugin
        import PIL.Image
        import PIL.JpegImagePlugin
        import PIL.PngImagePlugin
        import PIL.WebPImagePlugin
    except ImportError as error:
        raise RuntimeError(
            "torch.ops.image: images are decoded and encoded by Pillow, which is not installed: pip install pillow"
        ) from error
    return PIL


def has_turbo() -> bool:
    """Whether Pillow's JPEG codec is libjpeg-turbo."""
    _pillow()
    import PIL.features

    return bool(PIL.features.check_feature("libjpeg_turbo"))


_DAMAGED = "Image is incomplete or truncated, or damaged"


@contextmanager
def _damaged(name: str, says: Callable[[], str] = lambda: _DAMAGED) -> Iterator[None]:
    """Turn any error of a decoder on a file that it cannot read into a RuntimeError. says: torchvision's words for
    it."""
    try:
        yield
    except (RuntimeError, MemoryError):
        raise
    except Exception as error:  # a damaged file makes decoders fail in every way that there is
        raise RuntimeError(f"{name}(): {says()}: {error}") from error


def _check_size(name: str, size: tuple[int, int], data: bytes | memoryview) -> None:
    pixels = size[0] * size[1]
    if pixels > _MOST_A_BYTE * len(data) + _ALWAYS:
        raise RuntimeError(
            f"{name}(): {_DAMAGED}: {len(data)} bytes do not hold the {size[0]} x {size[1]} pixels that the header says"
        )


def format_of(data: bytes | memoryview) -> str:
    """ "jpeg", "png", "gif", "webp" or "": what a file is by its first bytes."""
    if data[:3] == b"\xff\xd8\xff":
        return "jpeg"
    if data[:8] == _PNG:
        return "png"
    if data[:6] in _GIF:
        return "gif"
    return "webp" if (data[:4], data[8:12]) == _WEBP else ""


# ---------------------------------------------------------------------------------------------------------- orientation
def _oriented(a: Any, exif: bytes | None) -> Any:
    """The array (H, W, C) as the orientation of EXIF data says; that is ignored where it cannot be read."""
    import numpy as np

    if not exif:
        return a
    found = _pillow().Image.Exif()
    try:
        found.load(exif)
        way = found.get(0x112)
    except (SyntaxError, ValueError, KeyError, TypeError, IndexError, struct.error, OSError):
        return a
    if way not in range(2, 9):
        return a
    rows, columns = way in (3, 4, 6, 7), way in (2, 3, 7, 8)  # which of them go the other way
    turned = np.ascontiguousarray(a[:: -1 if rows else 1, :: -1 if columns else 1])
    return turned.transpose(1, 0, 2) if way >= 5 else turned


# ----------------------------------------------------------------------------------------------------------------- JPEG
def decode_jpeg(data: bytes, mode: int, orient: bool) -> Any:
    """uint8 (H, W, 1, 3 or 4)."""
    if len(data) < 2:
        raise RuntimeError(f"decode_jpeg(): Image is incomplete or truncated: it ends after {len(data)} bytes")
    if data[:2] != b"\xff\xd8":
        shown = " ".join(f"0x{b:02x}" for b in data[:2])
        raise RuntimeError(f"decode_jpeg(): Not a JPEG file: starts with {shown}")
    if mode not in (UNCHANGED, GRAY, RGB):
        word = ("GRAY_ALPHA", "RGB_ALPHA")[mode == RGB_ALPHA]
        raise RuntimeError(f"decode_jpeg(): the mode must be UNCHANGED, GRAY or RGB for JPEG files; found {word}")
    data = damage.without_junk(data)
    found = None
    if size := size_of_jpeg(data, mode):
        import numpy as np

        found = np.empty(size, np.uint8)
        if not jpeg_into(data, found):
            found = None
    if found is not None and not orient:
        return found
    pil = _pillow()
    with _damaged("decode_jpeg", lambda: damage.of_jpeg(data)):
        image = pil.JpegImagePlugin.JpegImageFile(io.BytesIO(data))
        if found is None:
            found = _by_pillow(image, data, mode)
    return _oriented(found, image.info.get("exif")) if orient else found


def size_of_jpeg(data: bytes | memoryview, mode: int) -> tuple[int, int, int] | None:
    """(H, W, 1 or 3) of a JPEG file that `jpeg_into` may decode: one as most are (core/native/jpeg.h), or any that
    `simplejpeg` decodes, where that is installed. Else None.
    """
    if mode not in (UNCHANGED, GRAY, RGB):
        return None
    size = _native.jpeg_size(data) or _size_by_turbo(data)
    if size is None:
        return None
    height, width, channels = size
    _check_size("decode_jpeg", (width, height), data)
    return height, width, channels if mode == UNCHANGED else 1 if mode == GRAY else 3


def jpeg_into(data: bytes | memoryview, into: Any) -> bool:
    """Decode a JPEG file straight into an array of its size (Pillow's images have four bytes per pixel, and are copied
    out); False where the file is not as it should be.
    """
    return _native.decode_jpeg(data, into) or _by_turbo(data, into)


def _simplejpeg() -> ModuleType | None:
    try:
        import simplejpeg
    except ImportError:
        return None
    module: ModuleType = simplejpeg
    return module


def _size_by_turbo(data: bytes | memoryview) -> tuple[int, int, int] | None:
    """(H, W, 1 or 3); None where `simplejpeg` is not installed, complains of the file, or lacks its colours."""
    if (module := _simplejpeg()) is None:
        return None
    try:
        height, width, colours, _ = module.decode_jpeg_header(data)
    except ValueError:
        return None
    return (height, width, 1 if colours == "Gray" else 3) if colours in ("Gray", "YCbCr") else None


def _by_turbo(data: bytes | memoryview, into: Any) -> bool:
    """Decode a file by libjpeg-turbo; False where `simplejpeg` is not installed, or complains of the file."""
    size = _size_by_turbo(data)
    if (module := _simplejpeg()) is None or size is None or size[:2] != into.shape[:2]:
        return False
    try:
        module.decode_jpeg(data, "GRAY" if into.shape[2] == 1 else "RGB", buffer=into)
    except ValueError:  # of warnings too: Pillow knows which of them are errors
        return False
    return True


def _by_pillow(image: Any, data: bytes, mode: int) -> Any:
    """uint8 (H, W, 1, 3 or 4)."""
    import numpy as np

    _check_size("decode_jpeg", image.size, data)
    if mode == GRAY and image.mode == "RGB":
        image.draft("L", None)  # luminance as it is stored
    image.load()
    found = np.asarray(image)
    if image.mode == "CMYK":
        found = _of_cmyk(255 - found if "adobe" in image.info else found, mode)
    elif image.mode == "L" and mode == RGB:
        found = np.repeat(found[..., None], 3, 2)
    return found if found.ndim == 3 else found[..., None]


def _of_cmyk(a: Any, mode: int) -> Any:
    """Inverted CMYK, as files have it, in a mode."""
    import numpy as np

    if mode == UNCHANGED:
        return a
    product = a[..., :3].astype(np.int32) * a[..., 3:] + 128
    rgb = (product + (product >> 8)) >> 8
    if mode == RGB:
        return rgb.astype(np.uint8)
    weights = np.array([19595, 38470, 7471], np.int32)  # of luminance (ITU-R BT.601), times 2^16
    return ((rgb @ weights + 0x8000) >> 16).astype(np.uint8)[..., None]


# ------------------------------------------------------------------------------------------------------------------ PNG
def decode_png(data: bytes, mode: int, orient: bool) -> Any:
    """uint8 (H, W, C), or uint16 where the file has 16 bits a sample."""
    if len(data) < len(_PNG):
        raise RuntimeError(f"decode_png(): Content is too small for png! It has {len(data)} bytes")
    if data[:8] != _PNG:
        raise RuntimeError("decode_png(): Content is not png! It does not begin as a PNG file does")
    if damage.cuts_png(data):
        raise RuntimeError(
            "decode_png(): Out of bound read in decode_png. Probably, the input image is corrupted: it ends after "
            f"{len(data)} bytes, within a chunk"
        )
    pil = _pillow()
    with _damaged("decode_png", lambda: f"Internal error. {_DAMAGED}"):
        image = pil.PngImagePlugin.PngImageFile(io.BytesIO(data))
        _check_size("decode_png", image.size, data)
        if len(data) > 24 and data[24] == 16:
            made = _in_mode(png16.read(data), None, mode)
        else:
            image.load()
            made = _of_png(image, mode)
    return _oriented(made, image.info.get("exif")) if orient else made


def _of_png(image: Any, mode: int) -> Any:
    """A Pillow image of 8 bits a sample or less. A colour that stands for transparency is one of its palette: as in
    torchvision, that of an image without one is not.
    """
    import numpy as np

    if image.mode == "P" and mode != UNCHANGED:
        palette = np.zeros((256, 3), np.uint8)
        colours = np.array(image.getpalette() or [], np.uint8).reshape(-1, 3)[:256]
        palette[: len(colours)] = colours
        alpha, clear = np.full(256, 255, np.uint8), image.info.get("transparency")
        if isinstance(clear, bytes):
            alpha[: min(len(clear), 256)] = np.frombuffer(clear, np.uint8)[:256]
        elif clear is not None:
            alpha[clear] = 0
        index = np.asarray(image)
        return _in_mode(palette[index], None if clear is None else alpha[index], mode)
    found = np.asarray(image)
    if found.dtype == bool:
        found = np.where(found, np.uint8(255), np.uint8(0))
    found = found if found.ndim == 3 else found[..., None]
    return _in_mode(found, None, mode)


def _in_mode(a: Any, alpha: Any, mode: int) -> Any:
    """Grey (1, with alpha 2 channels) or RGB (3, 4) in a mode; alpha: that which the channels do not have."""
    import numpy as np

    if mode == UNCHANGED:
        return a
    most = np.iinfo(a.dtype).max
    channels = a.shape[2]
    if channels in (2, 4):
        alpha, a = a[..., -1], a[..., :-1]
    if mode in (GRAY, GRAY_ALPHA) and a.shape[2] == 3:
        a = _luminance(a)[..., None]
    elif mode in (RGB, RGB_ALPHA) and a.shape[2] == 1:
        a = np.repeat(a, 3, 2)
    if mode in (GRAY, RGB):
        return np.ascontiguousarray(a)
    alpha = np.full(a.shape[:2], most, a.dtype) if alpha is None else alpha
    return np.concatenate([a, alpha[..., None]], 2)


def _luminance(a: Any) -> Any:
    """0.2989 red + 0.587 green and the rest blue, in 15 bits; samples of 8 bits are cut off, those of 16 rounded."""
    import numpy as np

    whole = a.astype(np.int64) @ np.array([9794, 19234, 3740])
    return ((whole if a.dtype == np.uint8 else whole + 16384) >> 15).astype(a.dtype)


# --------------------------------------------------------------------------------------------------------- GIF and WebP
def decode_gif(data: bytes) -> Any:
    """uint8 (H, W, 3), of several frames (N, H, W, 3)."""
    import numpy as np

    pil = _pillow()
    if data[:6] not in _GIF:
        raise RuntimeError("decode_gif(): DGifOpenFileName() failed - 103: the data is no GIF file")
    if fault := damage.of_gif(data):
        raise RuntimeError(f"decode_gif(): {fault}")
    frames = []
    with _damaged("decode_gif"):
        image = pil.GifImagePlugin.GifImageFile(io.BytesIO(data))
        _check_size("decode_gif", image.size, data)
        for k in range(image.n_frames):
            if (k + 1) * image.size[0] * image.size[1] * 3 > _MOST_OF_FRAMES:
                raise RuntimeError(f"decode_gif(): the frames of the image take more than {_MOST_OF_FRAMES} bytes")
            image.seek(k)
            frames.append(np.asarray(image.convert("RGB")))
        return frames[0] if len(frames) == 1 else np.stack(frames)


def decode_webp(data: bytes, mode: int) -> Any:
    """uint8 (H, W, 3 or 4); grey modes are as UNCHANGED."""
    import numpy as np

    pil = _pillow()
    if format_of(data) != "webp":
        raise RuntimeError("decode_webp(): WebPGetFeatures failed with error code 3: the data is no WebP file")
    with _damaged("decode_webp", lambda: f"WebPDecodeRGB[A] failed. {_DAMAGED}"):
        image = pil.WebPImagePlugin.WebPImageFile(io.BytesIO(data))
        _check_size("decode_webp", image.size, data)
        if image.n_frames > 1:
            raise RuntimeError("decode_webp(): files of several frames are not decoded")
        image.load()
        found = np.asarray(image)
    if mode in (RGB, RGB_ALPHA):
        return _in_mode(found, None, mode)
    if mode != UNCHANGED:
        warn(
            "decode_webp(): Webp does not support grayscale conversions: the colours are those of the file",
            once="grey modes of WebP files",
        )
    return found


# ------------------------------------------------------------------------------------------------------------- encoding
def _encoded(a: Any, kind: str, **options: Any) -> Any:
    """The file of an array (H, W, 1 or 3), as uint8."""
    import numpy as np

    pil = _pillow()
    image = pil.Image.fromarray(np.ascontiguousarray(a[..., 0] if a.shape[2] == 1 else a))
    file = io.BytesIO()
    image.save(file, kind, **options)
    return np.frombuffer(file.getbuffer(), np.uint8)


def encode_jpeg(a: Any, quality: int) -> Any:
    """The bytes of a JPEG file."""
    return _encoded(a, "JPEG", quality=quality)


def encode_png(a: Any, level: int) -> Any:
    """The bytes of a PNG file; level: of compression, 0 to 9."""
    return _encoded(a, "PNG", compress_level=level)


DECODERS: dict[str, Callable[[bytes, int, bool], Any]] = {
    "jpeg": decode_jpeg,
    "png": decode_png,
    "gif": lambda data, mode, orient: decode_gif(data),
    "webp": lambda data, mode, orient: decode_webp(data, mode),
}
