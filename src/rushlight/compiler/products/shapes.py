"""What the kernels of a product are made for: a value of these is all that a kernel depends on."""

from __future__ import annotations

from typing import NamedTuple


class Tile(NamedTuple):
    """The kernel of a tile: its dtype ("float32" or "float64"), its size, and whether masks cost nothing.

    table: whether B's rows lie at the offsets of a table, and its vectors apart. turned: whether A's columns do.
    """

    dtype: str
    rows: int
    vectors: int
    lanes: int
    masks: bool
    table: bool = False
    turned: bool = False

    @property
    def columns(self) -> int:
        """How many columns the tile has."""
        return self.vectors * self.lanes


class Pack(NamedTuple):
    """The kernel that packs: the dtypes that it reads and writes, how many lanes it reads at a time, and whether masks
    cost nothing. ("int16": any elements of two bytes, as they are.) hardware: whether the processor rounds to bfloat16
    itself, which takes subnormals as zeros.
    """

    source: str
    target: str
    lanes: int
    masks: bool
    hardware: bool = False


class Amx(NamedTuple):
    """The kernel of a product of bfloat16 or int8 in AMX's tiles: its size, two by two of them."""

    dtype: str = "bfloat16"
    rows: int = 32
    columns: int = 32


class Dots(NamedTuple):
    """The kernel of a product of short types by words: by which instructions ("bf16", "vnni", "words": multiplications
    of 16 bits), the numbers of rows that it has code for, of which each takes what is more than the next one, its
    lanes, and whether masks cost nothing.
    """

    kind: str
    rows: tuple[int, ...]
    lanes: int = 16
    masks: bool = True

    @property
    def columns(self) -> int:
        """How many columns of C it makes."""
        return 32


class Rows(NamedTuple):
    """The kernel of rows of attention: the dtype of the scores, that of the mask (None: there is none), whether it is
    the gradient, and whether masks cost nothing.
    """

    dtype: str
    mask: str | None
    gradient: bool
    masks: bool


class Finish(NamedTuple):
    """The kernel that ends rows of attention: their dtype, and whether masks cost nothing."""

    dtype: str
    masks: bool
