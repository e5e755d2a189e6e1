"""Finds out what is wrong with an image file that no decoder reads, in the words of torchvision's errors."""

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


def without_junk(data: bytes) -> bytes:
    """A JPEG file without the bytes between its first marker and the next, which libjpeg skips."""
    at = 2
    while (at := data.find(b"\xff", at)) >= 0 and data[at + 1 : at + 2] == b"\0":
        at += 2
    return data if at < 3 else data[:2] + data[at:]


def of_gif(data: bytes) -> str:
    """What a GIF file lacks, "" for nothing: its blocks are followed to the trailer. Pillow takes a file that ends
    after any frame, and leaves out what it doesn't know.
    """
    ended, frames = "DGifSlurp() failed - 102: Image is incomplete or truncated", 0
    at = 13 + _of_table(data[10:11])
    if len(data) < at:
        return "DGifOpenFileName() failed - 104: Image is incomplete or truncated, it ends within its header"
    while at < len(data):
        kind = data[at : at + 1]
        if kind == b";":
            return "" if frames else "DGifSlurp() failed - 105: there is no image in it"
        if kind == b",":
            frames += 1
            at += 11 + _of_table(data[at + 9 : at + 10])
        elif kind == b"!":
            at += 2
        else:
            return f"DGifSlurp() failed - 107: Image is damaged, 0x{data[at]:02x} begins no block"
        while at < len(data) and data[at]:
            at += 1 + data[at]
        at += 1
    return ended


def _of_table(flags: bytes) -> int:
    """The bytes of the table of colours that the flags of a GIF file or of one of its images announce."""
    return 3 << (flags[0] & 7) + 1 if flags and flags[0] & 0x80 else 0


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
