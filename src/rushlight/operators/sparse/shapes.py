"""Transposes, joins and selections of sparse tensors: new indices for the same values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.sparse import parts as p
from rushlight.operators.sparse.handling import COMPOSED, sparse_operator
from rushlight.operators.table.define import TABLE
from rushlight.operators.table.node_names import usual_name

COMPOSED.update(("adjoint", "is_same_size", "get_device"))


def _dim(name: str, d: int, ndim: int) -> int:
    if not -max(ndim, 1) <= d < max(ndim, 1):
        raise IndexError(
            f"{name}(): Dimension out of range: 'dim' must be in [{-max(ndim, 1)}, {max(ndim, 1) - 1}] for a {ndim}-d "
            f"tensor; found {d}"
        )
    return d % max(ndim, 1)


def permuted(name: str, x: Tensor, order: Sequence[int]) -> Tensor:
    """The dimensions in another order, in which the sparse ones still come first."""
    n_sparse = p.sparse_dim(x)
    own = p.parts(x)
    if any((d < n_sparse) != (i < n_sparse) for i, d in enumerate(order)):
        raise RuntimeError(
            f"{name}(): transpositions between sparse and dense dimensions are not supported; found the order "
            f"{list(order)} with {n_sparse} sparse dimensions"
        )
    indices = own.indices[list(order[:n_sparse])] if n_sparse else own.indices
    values = own.values
    if n_sparse < x.ndim:
        with p.unrecorded():
            values = values.permute([0, *[d - n_sparse + 1 for d in order[n_sparse:]]])
    ordered = own.coalesced and list(order[:n_sparse]) == list(range(n_sparse))
    made = p.plain(indices, values, [x.shape[d] for d in order], ordered)
    back = [list(order).index(d) for d in range(x.ndim)]
    return p.record(made, usual_name(name, ""), [x], lambda g: [g.permute(back)])


@sparse_operator("t")
def _t(input: Tensor) -> Tensor:
    if input.ndim > 2:
        raise RuntimeError(f"t(): 'input' must have at most 2 dimensions; found {input.ndim}")
    return input if input.ndim < 2 else permuted("t", input, (1, 0))


@sparse_operator("transpose")
def _transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    a, b = _dim("transpose", dim0, input.ndim), _dim("transpose", dim1, input.ndim)
    order = list(range(input.ndim))
    if not order or a == b:
        return input
    order[a], order[b] = order[b], order[a]
    return permuted("transpose", input, order)


@sparse_operator("swapaxes", "swapdims")
def _swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    return _transpose(input, axis0, axis1)


@sparse_operator("permute")
def _permute(input: Tensor, dims: Any) -> Tensor:
    order = [_dim("permute", d, input.ndim) for d in dims]
    if sorted(order) != list(range(input.ndim)):
        raise RuntimeError(f"permute(): 'dims' must name each of the {input.ndim} dimensions once; found {list(dims)}")
    return permuted("permute", input, order)


@sparse_operator("movedim", "moveaxis")
def _movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    sources = [_dim("movedim", d, input.ndim) for d in ([source] if isinstance(source, int) else source)]
    places = [_dim("movedim", d, input.ndim) for d in ([destination] if isinstance(destination, int) else destination)]
    rest = iter([d for d in range(input.ndim) if d not in sources])
    to = dict(zip(places, sources, strict=True))
    return permuted("movedim", input, [to[i] if i in to else next(rest) for i in range(input.ndim)])


@sparse_operator("unsqueeze")
def _unsqueeze(input: Tensor, dim: int) -> Tensor:
    d = _dim("unsqueeze", dim, input.ndim + 1)
    n_sparse, own = p.sparse_dim(input), p.parts(input)
    size = [*input.shape[:d], 1, *input.shape[d:]]
    if d > n_sparse:
        return p.make(own.indices, p.values_of(input).unsqueeze(d - n_sparse + 1), size, False, "UnsqueezeBackward0")
    row = TABLE["zeros"]((1, p.count(input)), dtype=dt.int64)
    indices = TABLE["cat"]([own.indices[:d], row, own.indices[d:]], 0)
    return p.make(indices, p.values_of(input), size, False, "UnsqueezeBackward0")


# ------------------------------------------------------------------------------------------------- selections
@sparse_operator("select")
def _select(input: Tensor, dim: int, index: int) -> Tensor:
    if not input.ndim:
        raise IndexError("select(): a 0-d tensor has no dimension to select from")
    d = _dim("select", dim, input.ndim)
    n = int(input.shape[d])
    if not -n <= index < n:
        raise IndexError(f"select(): 'index' must be in [{-n}, {n - 1}] for dimension {d}; found {index}: out of range")
    at = int(index) % n
    n_sparse, own = p.sparse_dim(input), p.parts(input)
    size = [s for e, s in enumerate(input.shape) if e != d]
    if d >= n_sparse:
        values = p.values_of(input).select(d - n_sparse + 1, at)
        return p.make(own.indices, values, size, own.coalesced, "SelectBackward0")
    with p.unrecorded():
        kept = TABLE["nonzero"](own.indices[d] == at).flatten()
        indices = own.indices[[e for e in range(n_sparse) if e != d]][:, kept]
    values = p.values_of(input)[kept]
    if n_sparse == 1:
        with p.unrecorded():
            result = p.parts(input).values[kept].sum(0).to(input.dtype)
        shape = tuple(input.shape)
        return p.record(
            result,
            "SelectBackward0",
            [input],
            lambda g: [TABLE["select_scatter"](TABLE["zeros"](shape, dtype=g.dtype), g, d, at)],
        )
    return p.make(indices, values, size, False, "SelectBackward0")


@sparse_operator("unbind")
def _unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    return tuple(_select(input, dim, i) for i in range(int(input.shape[_dim("unbind", dim, input.ndim)])))


@sparse_operator("narrow_copy")
def _narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    d = _dim("narrow_copy", dim, input.ndim)
    n = int(input.shape[d])
    first = int(start) + n if start < 0 else int(start)
    if length < 0 or not 0 <= first <= n - length:
        raise RuntimeError(
            f"narrow_copy(): start ({start}) + length ({length}) exceeds dimension size ({n}); a range within it is "
            "expected"
        )
    return _ranged(input, d, first, int(length), 1, "NarrowCopyBackward0")


def _ranged(x: Tensor, d: int, start: int, length: int, step: int, label: str) -> Tensor:
    """Elements start, start + step, ... of a dimension, `length` of them."""
    n_sparse, own = p.sparse_dim(x), p.parts(x)
    size = [*x.shape[:d], length, *x.shape[d + 1 :]]
    if d >= n_sparse:
        chosen = TABLE["arange"](length) * step + start
        values = TABLE["index_select"](p.values_of(x), d - n_sparse + 1, chosen)
        return p.make(own.indices, values, size, own.coalesced, label)
    with p.unrecorded():
        at = own.indices[d] - start
        inside = (at >= 0) & (at < length * step)
        if step != 1:
            inside = inside & (TABLE["remainder"](at, step) == 0)
        kept = TABLE["nonzero"](inside).flatten()
        indices = own.indices[:, kept].clone()
        indices[d] = TABLE["floor_divide"](at[kept], step)
    return p.make(indices, p.values_of(x)[kept], size, own.coalesced, label)


@sparse_operator("index_select")
def _index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    d = _dim("index_select", dim, input.ndim)
    if index.ndim != 1 or index.dtype not in (dt.int64, dt.int32):
        raise IndexError(
            f"index_select(): 'index' must be a vector of dtype int64 or int32; found {index.dtype} with {index.ndim} "
            "dimensions"
        )
    n = int(input.shape[d])
    with p.unrecorded():
        index = index.to(dt.int64)
        if index.numel() and not bool(((index >= -n) & (index < n)).all()):
            raise IndexError(f"index_select(): index out of range: indices must be in [{-n}, {n - 1}]; found others")
        index = TABLE["where"](index < 0, index + n, index)
    n_sparse, own = p.sparse_dim(input), p.parts(input)
    size = [*input.shape[:d], int(index.shape[0]), *input.shape[d + 1 :]]
    if d >= n_sparse:
        values = TABLE["index_select"](p.values_of(input), d - n_sparse + 1, index)
        return p.make(own.indices, values, size, own.coalesced, "IndexSelectBackward0")
    with p.unrecorded():
        # Of each entry as many copies as the index names its place.
        order = TABLE["argsort"](index, stable=True)
        ordered = index[order]
        low = TABLE["searchsorted"](ordered, own.indices[d])
        counts = TABLE["searchsorted"](ordered, own.indices[d], right=True) - low
        source = TABLE["repeat_interleave"](TABLE["arange"](p.count(input)), counts)
        before = counts.cumsum(0) - counts
        to = order[TABLE["arange"](int(source.shape[0])) - before[source] + low[source]]
        indices = own.indices[:, source].clone()
        indices[d] = to
    return p.make(indices, p.values_of(input)[source], size, False, "IndexSelectBackward0")


# ------------------------------------------------------------------------------------------------------ joins
def _checked(name: str, tensors: Sequence[Tensor]) -> None:
    for i, x in enumerate(tensors):
        if not p.is_sparse(x):
            raise RuntimeError(
                f"{name}(): Concatenating sparse tensors, but a dense tensor was found at position {i}; all must be "
                "sparse"
            )
        if p.sparse_dim(x) != p.sparse_dim(tensors[0]) or x.ndim != tensors[0].ndim:
            raise RuntimeError(
                f"{name}(): All tensors must have the same sparse and dense dimensions; found "
                f"{p.sparse_dim(x)} and {x.ndim - p.sparse_dim(x)} at position {i}, "
                f"{p.sparse_dim(tensors[0])} and {tensors[0].ndim - p.sparse_dim(tensors[0])} at position 0"
            )


@sparse_operator("cat")
def _cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    _checked("cat", tensors)
    first = tensors[0]
    d = _dim("cat", dim, first.ndim)
    for i, x in enumerate(tensors):
        if any(a != b for e, (a, b) in enumerate(zip(x.shape, first.shape, strict=True)) if e != d):
            raise RuntimeError(
                f"cat(): Sizes of tensors must match except in dimension {d}; found {list(first.shape)} and "
                f"{list(x.shape)} at position {i}"
            )
    n_sparse = p.sparse_dim(first)
    kind = first.dtype
    for x in tensors[1:]:
        kind = dt.promote_types(kind, x.dtype)
    values = [p.values_of(x).to(kind) for x in tensors]
    size = [*first.shape[:d], sum(int(x.shape[d]) for x in tensors), *first.shape[d + 1 :]]
    all_indices, at = [], 0
    for i, x in enumerate(tensors):
        indices = p.parts(x).indices
        if d < n_sparse:
            indices = indices.clone()
            indices[d] += at
        elif values[i].numel() or size[d]:
            after = size[d] - at - int(x.shape[d])
            shape = list(values[i].shape)
            low, high = list(shape), list(shape)
            low[d - n_sparse + 1], high[d - n_sparse + 1] = at, after
            zeros = [TABLE["zeros"](s, dtype=kind) for s in (low, high)]
            values[i] = TABLE["cat"]([zeros[0], values[i], zeros[1]], d - n_sparse + 1)
        at += int(x.shape[d])
        all_indices.append(indices)
    return p.make(TABLE["cat"](all_indices, 1), TABLE["cat"](values, 0), size, False, "CatBackward0")


@sparse_operator("stack")
def _stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    _checked("stack", tensors)
    d = _dim("stack", dim, tensors[0].ndim + 1)
    if any(tuple(x.shape) != tuple(tensors[0].shape) for x in tensors):
        raise RuntimeError(
            f"stack(): stack expects each tensor to be equal size; found {[list(x.shape) for x in tensors]}"
        )
    with p.unrecorded():
        made = _cat([_unsqueeze(x, d) for x in tensors], d)
    return p.record(made, "StackBackward0", tensors, lambda g: [g.select(d, i) for i in range(len(tensors))])
