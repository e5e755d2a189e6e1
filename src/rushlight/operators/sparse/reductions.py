"""Sums, norms and softmax of sparse tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.sparse import parts as p
from rushlight.operators.sparse.handling import sparse_operator
from rushlight.operators.table.define import TABLE
from rushlight.operators.table.types import DType


def dims_of(name: str, dim: Any, ndim: int) -> list[int]:
    """Dimensions, each once, counted from the front."""
    given = [dim] if isinstance(dim, int) else list(dim)
    out: list[int] = []
    for d in given:
        if not -max(ndim, 1) <= d < max(ndim, 1):
            raise IndexError(f"{name}(): 'dim' must be in [{-ndim}, {ndim - 1}] for a {ndim}-d tensor; found {d}")
        if d % max(ndim, 1) in out:
            raise RuntimeError(f"{name}(): dim {d % ndim} appears multiple times in the list of dims")
        out.append(d % max(ndim, 1))
    return sorted(out)


def masked_sum(name: str, x: Tensor, dim: Any = None, dtype: DType = None) -> Tensor:
    """Sums over dimensions: sparse while a sparse dimension is left, else dense; a function of the entries."""
    if dim is None:
        return p.values_of(x).sum(dtype=dtype)
    dims = dims_of(name, dim, x.ndim)
    n_sparse = p.sparse_dim(x)
    if all(d >= n_sparse for d in dims):
        x = p.coalesced(x)
    values, own = p.values_of(x), p.parts(x)
    if dtype is not None:
        values = values.to(dtype)
    elif values.dtype.kind in "biu":
        values = values.to(dt.int64)
    dense_dims = [d - n_sparse + 1 for d in dims if d >= n_sparse]
    if dense_dims:
        values = values.sum(dense_dims)
    kept = [d for d in range(n_sparse) if d not in dims]
    if not kept and n_sparse:
        return values.sum(0)
    size = [n for d, n in enumerate(x.shape) if d not in dims]
    if len(kept) == n_sparse:
        return p.make(own.indices, values, size, own.coalesced, "SparseSumBackward0")
    with p.unrecorded():
        keys, where = p.unique(p.linear(own.indices[kept], size))
        indices = p.unlinear(keys, size, len(kept))
    return p.make(indices, p.summed(values, where, len(keys)), size, True, "SparseSumBackward0")


@sparse_operator("sum")
def _sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: DType = None) -> Tensor:
    if dim is None or isinstance(dim, (tuple, list)) and (not dim or len(dim) == input.ndim):
        with p.unrecorded():
            result = p.parts(input).values.sum(dtype=dtype)
        if keepdim:
            result = result.reshape([1] * input.ndim)
        shape, kind = tuple(input.shape), input.dtype
        return p.record(result, "SumBackward0", [input], lambda g: [g.reshape([1] * len(shape)).expand(shape).to(kind)])
    dims = dims_of("sum", dim, input.ndim)
    if all(d in dims for d in range(p.sparse_dim(input))):  # the result is dense, and so is the gradient
        with p.unrecorded():
            result = masked_sum("sum", input, dim, dtype)
        shape, kind = tuple(input.shape), input.dtype
        kept = [1 if d in dims else n for d, n in enumerate(shape)]
        result = p.record(result, "SumBackward1", [input], lambda g: [g.reshape(kept).expand(shape).to(kind)])
    else:
        result = masked_sum("sum", input, dim, dtype)
    if keepdim:
        for d in dims:
            result = result.unsqueeze(d)
    return result


@sparse_operator("any")
def _any(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    if dim is not None:
        raise NotImplementedError("any(): 'dim' is not defined for sparse tensors; found one; use to_dense()")
    return TABLE["any"](p.parts(p.coalesced(input.detach())).values)


@sparse_operator("norm")
def _norm(input: Tensor, p_: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: DType = None) -> Tensor:
    if dim is not None and len(dims_of("norm", dim, input.ndim)) != input.ndim:
        raise RuntimeError("norm(): 'dim' must be all dimensions, or not given, for sparse tensors; found some of them")
    order = 2 if p_ in ("fro", None) else p_
    result = TABLE["norm"](p.values_of(p.coalesced(input)), order, dtype=dtype)
    return result.reshape([1] * input.ndim) if keepdim else result


@sparse_operator("dist")
def _dist(input: Tensor, other: Tensor, p: Any = 2) -> Tensor:
    return _norm(TABLE["sub"](input, other), p)


def softmax(name: str, x: Tensor, dim: int, dtype: DType = None, log: bool = False) -> Tensor:
    """softmax, or its logarithm, along a dimension over the entries that are there: the others are -inf."""
    if not p.is_sparse(x):
        raise NotImplementedError(f"{name}(): 'input' must be sparse; found layout {x.layout}")
    if x.dtype.kind != "f" and dtype is None:
        raise NotImplementedError(f"{name}(): not defined for dtype {x.dtype}; found one")
    (d,) = dims_of(name, dim, x.ndim)
    x = p.coalesced(x)
    n_sparse, own = p.sparse_dim(x), p.parts(x)
    values = p.values_of(x)
    if dtype is not None:
        values = values.to(dtype)
    label = "SparseLogSoftmaxBackward0" if log else "SparseSoftmaxBackward0"
    op = TABLE["log_softmax" if log else "softmax"]
    if d >= n_sparse:
        return p.remade(x, op(values, d - n_sparse + 1), label)
    if not p.count(x):
        return p.remade(x, values, label)
    with p.unrecorded():
        others = [e for e in range(n_sparse) if e != d]
        sizes: Sequence[int] = [int(x.shape[e]) for e in others]
        keys, where = p.unique(p.linear(own.indices[others], sizes))
        places = where.reshape(-1, *[1] * (values.ndim - 1)).expand(values.shape)
        base = TABLE["zeros"]((len(keys), *values.shape[1:]), dtype=values.dtype)
        top = base.scatter_reduce(0, places, values.detach(), "amax", include_self=False)
    shifted = values - top[where]
    total = p.summed(shifted.exp(), where, len(keys))
    result = shifted - total.log()[where] if log else shifted.exp() / total[where]
    return p.remade(x, result, label)
