"""What the generated tables of local polynomials (pieces/) are made of."""

from __future__ import annotations

import base64
import functools
import struct
from collections.abc import Sequence


class Pieces:
    """A table: rows of (centre, low part, c0, low part, c1, c2, ...), of width 1/scale from start on, or 2^bits a
    binade from row first.
    """

    def __init__(
        self, start: float, scale: float, bits: int | None, first: int, width: int, rough: int, data: str
    ) -> None:
        self.start, self.scale, self.bits, self.first, self.width = start, scale, bits, first, width
        self.rough, self.data = rough, data

    @functools.cached_property
    def rows(self) -> Sequence[tuple[float, ...]]:
        """The rows, read when first needed."""
        raw = base64.b64decode(self.data)
        flat = struct.unpack(f"<{len(raw) // 8}d", raw)
        return [flat[i : i + self.width] for i in range(0, len(flat), self.width)]
