"""x[...] of sparse tensors: ints, full slices and vectors of indices."""

from __future__ import annotations

from typing import Any

from rushlight.core import raw
from rushlight.core.tensor import Tensor
from rushlight.operators.sparse import parts as p
from rushlight.operators.sparse.handling import sparse_operator
from rushlight.operators.table.define import TABLE


@sparse_operator("__getitem__")
def _getitem(input: Tensor, index: Any) -> Tensor:
    if not p.is_sparse(input):
        raise NotImplementedError(
            "__getitem__(): a dense tensor is not indexed by a sparse one; found one; use to_dense() of it"
        )
    items = list(index) if isinstance(index, tuple) else [index]
    used = sum(1 for i in items if i is not None and i is not Ellipsis)
    if used > input.ndim:
        raise IndexError(f"too many indices for tensor of dimension {input.ndim}: found {used}")
    if Ellipsis in [i for i in items if not isinstance(i, Tensor)]:
        at = next(k for k, i in enumerate(items) if i is Ellipsis)
        items[at : at + 1] = [slice(None)] * (input.ndim - used)
    x, d = input, 0
    for item in items:
        if item is None:
            x, d = x.unsqueeze(d), d + 1
        elif isinstance(item, bool):
            raise NotImplementedError("__getitem__(): bools do not index sparse tensors; found one; use to_dense()")
        elif isinstance(item, int) or (isinstance(item, Tensor) and item.ndim == 0 and item.dtype.kind in "iu"):
            x = TABLE["select"](x, d, int(item))
        elif isinstance(item, slice):
            n = int(x.shape[d])
            start, stop, step = item.indices(n)
            if (start, stop, step) != (0, n, 1):
                raise NotImplementedError(
                    "__getitem__(): slices of sparse tensors are not views, and so not there; found one; use "
                    "narrow_copy() or index_select()"
                )
            d += 1
        else:
            if not isinstance(item, Tensor):
                item = TABLE["tensor"](item)
            if item.dtype.kind == "b" or item.ndim != 1:
                raise NotImplementedError(
                    "__getitem__(): sparse tensors are indexed by vectors of integers alone; found "
                    f"{item.dtype} with {item.ndim} dimensions; use to_dense()"
                )
            x, d = TABLE["index_select"](x, d, item), d + 1
    return raw.alias_of(x) if x is input and not x.requires_grad else x


@sparse_operator("__setitem__")
def _setitem(input: Tensor, index: Any, value: Any) -> None:
    raise TypeError("__setitem__(): Cannot assign to a sparse tensor, nor sparse elements to a dense one; found one")
