"""Writes of pending values to parts of a tensor in memory: each waits as a step of the plan's end, which writes there.

`out = torch.empty(...)`, then `out[:, t] = value` in a loop, is so one segment, without a copy of `out`; and so is what
fills a buffer that was there before. docs/design/compile.md, "Writes that wait".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core import raw as _raw
from rushlight.core.dispatch import Operator
from rushlight.core.errors import is_of_library
from rushlight.core.flatten import Kind, Param
from rushlight.core.tensor import Tensor
from rushlight.operators.indexing.getitem import split
from rushlight.operators.table.define import METHODS
from rushlight.operators.table.definition import Definition

__all__ = ["MOST", "PLACE", "place_in"]

MOST = 64  # of a segment: each value has memory of its own until the end


def _place(base: Tensor, value: Tensor, size: Sequence[int], stride: Sequence[int], offset: int) -> None:
    """Write a value to the part of a tensor in memory that begins `offset` elements after its first."""
    METHODS["copy_"](_raw.view_of(base, size, stride, base.storage_offset() + offset), value)


_PARAMS = [Param("base", Kind.P_TENSOR), Param("value", Kind.P_TENSOR)]
_PARAMS += [Param("size", Kind.P_INTS), Param("stride", Kind.P_INTS), Param("offset", Kind.P_INT)]
PLACE = Operator("place", _PARAMS, Definition("place", _place, None, "internal"), eager=_place)
"""The write."""


def place_in(like: Tensor, index: Any, value: Tensor) -> tuple[tuple[int, ...], tuple[int, ...], int] | None:
    """Sizes, strides and offset of the part of a tensor that an index of ints and slices names; None for other indices,
    and where the value does not fit.

    Args:
        like: a meta tensor that lies as the tensor does, from offset 0 on.
        index: the index.
        value: what is to be written.
    """
    if isinstance(index, bool) or (isinstance(index, tuple) and any(isinstance(i, (bool, Tensor)) for i in index)):
        return None
    try:
        part, chosen = split(like, index)
    except Exception as error:
        if not is_of_library(error):
            raise
        return None  # the write itself raises it
    sizes, given = tuple(part.shape), tuple(value.shape)
    fits = len(given) <= len(sizes) and all(a in (b, 1) for a, b in zip(reversed(given), reversed(sizes), strict=False))
    if chosen or not fits or not all(n > 0 for n in part.stride()):
        return None
    return sizes, tuple(part.stride()), part.storage_offset()
