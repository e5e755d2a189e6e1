"""The annotations that the operator table is written in (see `define._KINDS`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from rushlight.core import dtypes as dt
from rushlight.core.draw import Stream
from rushlight.core.tensor import device

Operand: TypeAlias = Any  # a tensor or a number
Number: TypeAlias = Any  # a number that is given at launch: no recompilation for a new value
Int: TypeAlias = Any  # an int given at launch
Ints: TypeAlias = Any  # a sequence of ints given at launch
# a real number given at launch (as `float`), or something else that is static: norm(x, 3.5), norm(x, "nuc")
Real: TypeAlias = Any
# an int or a sequence of ints (None among them) given at launch, -1, 0 and 1 like all others: windows, widths of
# padding
Sizes: TypeAlias = Any
Whole: TypeAlias = Any  # an int given at launch as those are, or something else that is static
SizeLike: TypeAlias = int | Sequence[int]  # the sizes of a tensor to be made: static
Random: TypeAlias = Stream | None  # the generator that numbers are drawn from; None: the default one
DType: TypeAlias = dt.dtype | None
Device: TypeAlias = device | str | int | None
Layout: TypeAlias = dt.layout | None
MemoryFormat: TypeAlias = dt.memory_format | None
Tensors: TypeAlias = Sequence[Any]
Operands: TypeAlias = Any  # an operand for all tensors of a list, or a list of one for each
Dims: TypeAlias = Any  # None, an int or a sequence of ints; static


class ByRank:
    """A dimension that was left out: the one that the rank chooses."""


Dim: TypeAlias = int | type[ByRank]
