"""What the kernels of a product are made for: a value of these is all that a kernel depends on."""

from __future__ import annotations

from typing import NamedTuple


class Tile(NamedTuple):
    """The kernel of a tile: its dtype ("float32" or "float64"), its size, and whether masks cost nothing."""

    dtype: str
    rows: int
    vectors: int
    lanes: int
    masks: bool

    @property
    def columns(self) -> int:
        """How many columns the tile has."""
        return self.vectors * self.lanes


class Pack(NamedTuple):
    """The kernel that packs a dtype: how many lanes it reads at a time, and whether masks cost nothing."""

    dtype: str
    lanes: int
    masks: bool
