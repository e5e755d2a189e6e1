"""What is wrong with an image file that no decoder reads, in the words of torchvision's errors."""

from __future__ import annotations

import struct

_ALONE = (0x01, *range(0xD0, 0xD9))  # markers without a segment: TEM, RST, SOI
_END = 0xD9
_KNOWN = {*_ALONE, *range(0xC0, 0xD0), *range(_END, 0xDE), *range(0xE0, 0xF0), 0xFE}


def of_jpeg(data: bytes) -> str:
    """What a JPEG file lacks: its markers are followed to the first that is unknown, or to the end."""
    at = 2
    while 0 <= (at := data.find(b"\xff", at)) < len(data) - 1:
        code = data[at + 1]
        at += 1
        if code in (0, 0xFF):  # a byte of the scan; filling
            continue
        if code not in _KNOWN:
            return f"Unsupported marker type 0x{code:02x}"
        if code == _END:
            return "Image is damaged"
        at += 1
        if code not in _ALONE and at + 2 <= len(data):
            at += struct.unpack_from(">H", data, at)[0]
    return "Image is incomplete or truncated"


def cuts_png(data: bytes) -> bool:
    """Whether a PNG file ends before its pixels do; what comes after them may be missing."""
    at, pixels = 8, False
    while at + 12 <= len(data):
        (size,) = struct.unpack_from(">I", data, at)
        kind = data[at + 4 : at + 8]
        if kind == b"IEND" or (pixels and kind != b"IDAT"):
            return False
        pixels = pixels or kind == b"IDAT"
        at += 12 + size
        if at > len(data):
            return True
    return not pixels
