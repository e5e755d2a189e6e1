"""PNG files of 16 bits a sample, which Pillow reads as 8 bits where there are colours or transparency."""

from __future__ import annotations

import struct
import zlib
from typing import Any

_CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}  # by colour type: grey, RGB, grey and alpha, RGBA
# Adam7: first row, first column, and the steps between rows and columns, of each pass.
_PASSES = ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1))


def chunks(data: bytes) -> dict[bytes, bytes]:
    """The contents of a PNG file's chunks by type; of those that may come several times, one after the other.

    Raises:
        ValueError: the file ends within a chunk, or a checksum is wrong.
    """
    found: dict[bytes, list[bytes]] = {}
    at = 8
    while at < len(data):
        if at + 12 > len(data):
            raise ValueError("the file ends within a chunk")
        (size,) = struct.unpack_from(">I", data, at)
        kind, end = data[at + 4 : at + 8], at + 8 + size
        if end + 4 > len(data):
            raise ValueError("the file ends within a chunk")
        if zlib.crc32(data[at + 4 : end]) != struct.unpack_from(">I", data, end)[0]:
            raise ValueError(f"the checksum of the chunk {kind.decode('latin-1')!r} is wrong")
        found.setdefault(kind, []).append(data[at + 8 : end])
        at = end + 4
        if kind == b"IEND":
            break
    return {kind: b"".join(parts) for kind, parts in found.items()}


def read(data: bytes) -> Any:
    """A file's samples, uint16 (H, W, C).

    Raises:
        ValueError: the file is damaged.

    Source:
        The PNG specification, third edition, sections 7 to 12.
    """
    import numpy as np

    parts = chunks(data)
    if b"IHDR" not in parts or len(parts[b"IHDR"]) != 13:
        raise ValueError("there is no header")
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", parts[b"IHDR"])
    if depth != 16 or kind not in _CHANNELS or interlaced > 1 or not width or not height:
        raise ValueError("the header is wrong")
    channels = _CHANNELS[kind]
    areas = [
        (row, column, -(-(height - row) // down), -(-(width - column) // across), down, across)
        for row, column, down, across in (_PASSES if interlaced else ((0, 0, 1, 1),))
        if row < height and column < width
    ]
    whole = sum(h * (1 + w * channels * 2) for _, _, h, w, _, _ in areas)
    unpack = zlib.decompressobj()
    try:
        raw = unpack.decompress(parts.get(b"IDAT", b""), whole)
    except zlib.error as error:
        raise ValueError(f"the data cannot be unpacked ({error})") from error
    if len(raw) != whole:
        raise ValueError("there are fewer samples than the header says")
    image = np.empty((height, width, channels), np.uint16)
    at = 0
    for row, column, h, w, down, across in areas:
        size = h * (1 + w * channels * 2)
        lines = np.frombuffer(raw, np.uint8, size, at).reshape(h, -1)
        at += size
        samples = _unfiltered(lines, channels * 2).reshape(h, w, channels, 2)
        image[row::down, column::across] = samples.view(">u2")[..., 0]
    return image


def _unfiltered(lines: Any, step: int) -> Any:
    """The bytes of filtered lines (the filter's number, then the bytes); `step`: bytes of a pixel.

    A pixel waits for its left, its upper and its upper left neighbour: all pixels of a diagonal are found together.
    """
    import numpy as np

    height, width = lines.shape[0], (lines.shape[1] - 1) // step
    kinds = lines[:, 0].astype(np.intp)
    if (kinds > 4).any():
        raise ValueError("a line has no filter of the five that there are")
    given = lines[:, 1:].reshape(height, width, step).astype(np.int16)
    made = np.zeros((height + 1, width + 1, step), np.int16)  # with a border of zeros above and on the left
    for diagonal in range(height + width - 1):
        rows = np.arange(max(0, diagonal - width + 1), min(height, diagonal + 1))
        columns = diagonal - rows
        left, above, corner = made[rows + 1, columns], made[rows, columns + 1], made[rows, columns]
        guess = left + above - corner
        to_left, to_above, to_corner = abs(guess - left), abs(guess - above), abs(guess - corner)
        nearest = np.where(
            (to_left <= to_above) & (to_left <= to_corner), left, np.where(to_above <= to_corner, above, corner)
        )
        before = np.stack([np.zeros_like(left), left, above, (left + above) // 2, nearest])
        chosen = before[kinds[rows], np.arange(len(rows))]
        made[rows + 1, columns + 1] = (given[rows, columns] + chosen) & 255
    return made[1:, 1:].astype(np.uint8)
