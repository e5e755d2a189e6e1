"""Image files of every kind that torchvision's codecs read, made for the tests."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
from PIL import Image


def smooth(height: int, width: int, channels: int, seed: int = 0) -> np.ndarray:
    """A picture with slopes and some noise, uint8 (H, W, C)."""
    r = np.random.RandomState(seed)
    y, x = np.mgrid[:height, :width]
    planes = [np.sin(x / 7 + i) * np.cos(y / 9 - i) * 100 + 128 + r.randn(height, width) * 6 for i in range(channels)]
    return np.clip(np.stack(planes, -1), 0, 255).astype("u1")


def encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    """The bytes of an image file."""
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def chunk(kind: bytes, data: bytes) -> bytes:
    """A chunk of a PNG file."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_of(image: np.ndarray) -> bytes:
    """A PNG file of uint16 (H, W, C) in which all five filters of lines are used."""
    height, width, channels = image.shape
    step, raw = channels * 2, image.astype(">u2").tobytes()
    size, out, above = width * step, bytearray(), bytes(width * step)
    for y in range(height):
        line, kind = raw[y * size : (y + 1) * size], y % 5
        out.append(kind)
        for i in range(size):
            a, b, c = line[i - step] if i >= step else 0, above[i], above[i - step] if i >= step else 0
            to = [abs(a + b - c - v) for v in (a, b, c)]
            out.append((line[i] - (0, a, b, (a + b) // 2, (a, b, c)[to.index(min(to))])[kind]) & 255)
        above = line
    header = struct.pack(">IIBBBBB", width, height, 16, {1: 0, 2: 4, 3: 2, 4: 6}[channels], 0, 0, 0)
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(out))) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def files() -> dict[str, bytes]:
    """Files by name, which begins with the kind."""
    rgb, rgba = Image.fromarray(smooth(37, 53, 3)), Image.fromarray(smooth(37, 53, 4))
    grey, with_alpha = Image.fromarray(smooth(37, 53, 1)[..., 0]), Image.fromarray(smooth(37, 53, 2))
    found = {f"jpeg quality {q}": encoded(rgb, "JPEG", quality=q) for q in (30, 75, 95)}
    found.update({f"jpeg subsampling {s}": encoded(rgb, "JPEG", subsampling=s) for s in (0, 1)})
    found["jpeg of red, green and blue"] = encoded(rgb, "JPEG", keep_rgb=True)
    found["jpeg progressive"] = encoded(rgb, "JPEG", progressive=True)
    found["jpeg grey"], found["jpeg cmyk"] = encoded(grey, "JPEG"), encoded(rgb.convert("CMYK"), "JPEG")
    for way in range(1, 9):
        exif = Image.Exif()
        exif[0x112] = way
        found[f"jpeg orientation {way}"] = encoded(rgb, "JPEG", exif=exif)
        found[f"png orientation {way}"] = encoded(rgb, "PNG", exif=exif)
    for name, image in (("rgb", rgb), ("rgba", rgba), ("grey", grey), ("grey alpha", with_alpha)):
        found[f"png {name}"] = encoded(image, "PNG")
    found["png palette"] = encoded(rgb.quantize(256), "PNG")
    few = rgb.quantize(16)
    found["png palette of 4 bits, a clear colour"] = encoded(few, "PNG", transparency=3)
    found["png palette of 4 bits, alpha"] = encoded(few, "PNG", transparency=bytes(range(0, 160, 10)))
    found["png of one bit"] = encoded(grey.convert("1"), "PNG")
    found["png grey, a clear colour"] = encoded(grey, "PNG", transparency=100)
    found["png rgb, a clear colour"] = encoded(rgb, "PNG", transparency=rgb.getpixel((3, 3)))
    r = np.random.RandomState(1)
    for channels in (1, 2, 3, 4):
        found[f"png of 16 bits, {channels} channels"] = png_of(r.randint(0, 65536, (11, 13, channels)).astype("u2"))
    found["gif"], found["gif grey"] = encoded(rgb, "GIF"), encoded(grey, "GIF")
    frames = [Image.fromarray(smooth(20, 30, 3, seed)) for seed in range(4)]
    found["gif of frames"] = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    parts = []
    for k in range(3):
        part = Image.new("RGBA", (30, 20), (0, 0, 0, 0))
        part.paste((255 * (k == 0), 255 * (k == 1), 200, 255), (3 * k, 2 * k, 12 + 3 * k, 9 + k))
        parts.append(part)
    for way in (0, 1, 2, 3):
        options = {"save_all": True, "append_images": parts[1:], "disposal": way, "transparency": 0}
        found[f"gif with disposal {way}"] = encoded(parts[0], "GIF", **options)
    found["webp"], found["webp exact"] = encoded(rgb, "WEBP"), encoded(rgb, "WEBP", lossless=True)
    found["webp alpha"], found["webp exact alpha"] = encoded(rgba, "WEBP"), encoded(rgba, "WEBP", lossless=True)
    found["webp of frames"] = encoded(frames[0], "WEBP", save_all=True, append_images=frames[1:])
    return found
