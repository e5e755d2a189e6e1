"""`torch.ops.image`: the operators that torchvision's extension `image` registers in PyTorch. Pillow decodes and
encodes (`codecs.py`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NoReturn

from rushlight.core import _native
from rushlight.core import dtypes as dt
from rushlight.core.checks import check_argument, check_that
from rushlight.core.raw import empty_strided_raw
from rushlight.core.tensor import Tensor
from rushlight.library import codecs
from rushlight.library.operator import define
from rushlight.library.schema import parse_schema
from rushlight.operators.tensors.interop import from_numpy


def _bytes_of(name: str, t: Tensor, argument: str) -> memoryview:
    """The bytes of an image file in a tensor, where they lie."""
    check_that(t.dtype is dt.uint8, f"{name}()", "Input tensor", "have uint8 data type", f"{t.dtype} for '{argument}'")
    if t.ndim != 1 or not t.numel():
        raise RuntimeError(
            f"{name}(): Input tensor must be 1-dimensional and non-empty; found {list(t.shape)} for '{argument}'"
        )
    if not t.is_contiguous():
        raise RuntimeError(
            f"{name}(): Input tensor must be contiguous; found the stride {t.stride(0)} for '{argument}'"
        )
    return memoryview(t.numpy())


def _planes(t: Tensor) -> Tensor:
    """A tensor (..., H, W, C) as (..., C, H, W)."""
    if t.shape[-1] == 1:  # as PyTorch has the stride of a dimension of one
        t = t.squeeze(-1).unsqueeze(-1)
    return t.movedim(-1, -3)


def _mode(name: str, mode: int) -> int:
    check_argument(mode in range(5), f"{name}()", "mode", "be in [0, 4], as ImageReadMode has them", mode)
    return mode


_LONG = 1e9  # nanoseconds: whatever a clock may say of a process that stood still
_pace = [0.0]  # nanoseconds for each byte of the last JPEG file


def _by_turbo(data: memoryview, into: Tensor) -> bool:
    """A JPEG file decoded into a tensor, behind which transforms are expected: the threads are awake by then."""
    began = time.perf_counter_ns()
    _native.expect_launches(int(min(_pace[0] * len(data), _LONG)))
    decoded = codecs.by_turbo(data, into.numpy())
    _pace[0] = (time.perf_counter_ns() - began) / len(data)
    _native.expect_launches()
    return decoded


def _decoded(kind: str, data: memoryview, mode: int, orient: bool) -> Tensor:
    """A file of a kind decoded, (..., C, H, W)."""
    # A JPEG file straight into the tensor; not one with anything between its first markers.
    if kind == "jpeg" and not orient and bytes(data[:3]) == b"\xff\xd8\xff" and bytes(data[3:4]) != b"\0":
        if size := codecs.size_by_turbo(data, mode):
            made = empty_strided_raw(dt.uint8, size, None)
            if _by_turbo(data, made):
                return _planes(made)
    a = codecs.DECODERS[kind](bytes(data), mode, orient)
    return _planes(from_numpy(a if a.flags.writeable else a.copy("K")))


def _decode_image(data: Tensor, mode: int, apply_exif_orientation: bool = False) -> Tensor:
    given = _bytes_of("decode_image", data, "data")
    kind = codecs.format_of(given)
    if not kind:
        raise RuntimeError(
            "decode_image(): Unsupported image file. 'data' must be a JPEG, PNG, GIF or WebP file (for AVIF and HEIC "
            f"there are decode_avif and decode_heic); found one that begins with {bytes(given[:12])!r}"
        )
    return _decoded(kind, given, _mode("decode_image", mode), apply_exif_orientation)


def _decoder(kind: str, argument: str) -> Callable[..., Tensor]:
    name = f"decode_{kind}"

    def decode(data: Tensor, mode: int = codecs.UNCHANGED, apply_exif_orientation: bool = False) -> Tensor:
        return _decoded(kind, _bytes_of(name, data, argument), _mode(name, mode), apply_exif_orientation)

    return decode


def _check_bytes(name: str, data: Tensor, argument: str, ndim: int, dims: str = "") -> None:
    """RuntimeError unless it is of bytes and of so many dimensions; dims: what these are."""
    if data.dtype is not dt.uint8:
        raise RuntimeError(f"{name}(): Input tensor dtype should be uint8; found {data.dtype} for '{argument}'")
    if data.ndim != ndim:
        expected = f"a {ndim}-dimensional tensor{dims}"
        raise RuntimeError(f"{name}(): Input data should be {expected}; found {list(data.shape)} for '{argument}'")


def _array(name: str, image: Tensor) -> Any:
    """An image (C, H, W) to be encoded as an array (H, W, C)."""
    _check_bytes(name, image, "input", 3, " (C, H, W)")
    if image.shape[0] not in (1, 3):
        raise RuntimeError(f"{name}(): The number of channels should be 1 or 3, got: {image.shape[0]}")
    check_that(image.numel(), f"{name}()", "the image", "have pixels", lambda: list(image.shape))
    return image.numpy().transpose(1, 2, 0)


def _encode_jpeg(image: Tensor, quality: int) -> Tensor:
    a = _array("encode_jpeg", image)
    if not 1 <= quality <= 100:
        raise RuntimeError(
            f"encode_jpeg(): Image quality should be a positive number between 1 and 100; found {quality}"
        )
    if max(image.shape[1:]) > 65500:
        raise RuntimeError(f"encode_jpeg(): a JPEG file has at most 65500 rows and columns; found {list(image.shape)}")
    return from_numpy(codecs.encode_jpeg(a, quality))


def _encode_png(image: Tensor, compression_level: int) -> Tensor:
    if not 0 <= compression_level <= 9:
        raise RuntimeError(f"encode_png(): Compression level should be between 0 and 9; found {compression_level}")
    return from_numpy(codecs.encode_png(_array("encode_png", image), compression_level))


def _read_file(filename: str) -> Tensor:
    import numpy as np

    try:
        with open(filename, "rb") as file:
            found = np.frombuffer(bytearray(file.read()), np.uint8)
    except OSError as error:
        raise RuntimeError(f"read_file(): {error}") from error
    if not found.size:
        raise RuntimeError(f"read_file(): Expected a non empty file; found {filename!r} with no bytes")
    return from_numpy(found)


def _write_file(filename: str, data: Tensor) -> None:
    _check_bytes("write_file", data, "data", 1)
    try:
        with open(filename, "wb") as file:
            file.write(data.contiguous().numpy())
    except OSError as error:
        raise RuntimeError(f"write_file(): Error opening output file: {error}") from error


def _no_cuda(*args: Any) -> NoReturn:
    raise RuntimeError("image: JPEG files are decoded and encoded on the CPU; there is no CUDA here")


def _jpeg_version() -> int:
    """The version of libjpeg's interface that the codec has: 62 is what libjpeg-turbo gives by default."""
    return 62


def _is_compiled_against_turbo() -> bool:
    """Whether Pillow's JPEG codec is libjpeg-turbo."""
    return codecs.has_turbo()


_OPERATORS: dict[str, Callable[..., Any]] = {
    "_is_compiled_against_turbo() -> bool": _is_compiled_against_turbo,
    "_jpeg_version() -> int": _jpeg_version,
    "decode_image(Tensor data, int mode, bool apply_exif_orientation=False) -> Tensor": _decode_image,
    "decode_jpeg(Tensor data, int mode, bool apply_exif_orientation=False) -> Tensor": _decoder("jpeg", "data"),
    "decode_png(Tensor data, int mode, bool apply_exif_orientation=False) -> Tensor": _decoder("png", "data"),
    "decode_gif(Tensor _0) -> Tensor": _decoder("gif", "input"),
    "decode_webp(Tensor encoded_data, int mode) -> Tensor": _decoder("webp", "encoded_data"),
    "encode_jpeg(Tensor _0, int _1) -> Tensor": _encode_jpeg,
    "encode_png(Tensor _0, int _1) -> Tensor": _encode_png,
    "read_file(str _0) -> Tensor": _read_file,
    "write_file(str _0, Tensor _1) -> ()": _write_file,
    "decode_jpegs_cuda(Tensor[] _0, int _1, Device _2) -> Tensor[]": _no_cuda,
    "encode_jpegs_cuda(Tensor[] _0, int _1) -> Tensor[]": _no_cuda,
}
for _schema, _function in _OPERATORS.items():
    define(parse_schema(f"image::{_schema}")).kernels["compositeimplicitautograd"] = _function
