"""What a sparse tensor is made of, and its place in the graph of autograd.

A sparse tensor in coordinate format is a tensor with sizes and without memory (`raw.layout_tensor`) that refers to two
strided ones: int64 indices, (sparse dimensions, count), and values, (count, *dense dimensions). Two functions lead from
one kind to the other, each the derivative of the other: `make` and `values_of`. What is written between them in
operators needs no derivative of its own; a gradient is a sparse tensor with entries where the operand has some.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import engine, locks, raw
from rushlight.core import tensor as core
from rushlight.core.tensor import Tensor
from rushlight.operators.table.define import TABLE

LAYOUT = core.get_keys_flag_mask()["LAYOUT"]


class Coo:
    """The parts of a tensor in coordinate format. coalesced: the indices are in order, and none is there twice."""

    __slots__ = ("coalesced", "indices", "values")
    layout = dt.sparse_coo

    def __init__(self, indices: Tensor, values: Tensor, coalesced: bool) -> None:
        self.indices, self.values, self.coalesced = indices, values, coalesced


def is_sparse(x: Any) -> bool:
    """Whether something is a tensor in coordinate format."""
    return isinstance(x, Tensor) and bool(x._keys_ & LAYOUT) and x.layout is dt.sparse_coo


def parts(x: Tensor) -> Coo:
    """The parts of a tensor in coordinate format."""
    return x._meta_.parts  # type: ignore[no-any-return]


def sparse_dim(x: Tensor) -> int:
    """How many dimensions are sparse: the first ones."""
    return int(parts(x).indices.shape[0])


def count(x: Tensor) -> int:
    """How many entries there are."""
    return int(parts(x).indices.shape[1])


def without_derivative(name: str, result: Tensor, operands: Sequence[Tensor]) -> Tensor:
    """A result whose gradient cannot be had: asking for it is an error."""

    def refuse(g: Any) -> Sequence[Tensor | None]:
        raise RuntimeError(
            f"{name}(): derivative for aten::{name} is not implemented for sparse tensors; found one asked for"
        )

    return record(result, "NotImplemented", operands, refuse)


class unrecorded(locks.switched):
    """A section whose calls are not recorded: they compute indices, or their derivative stands beside them."""

    def __init__(self) -> None:
        self.set_to(grad=False)


def record(
    result: Tensor,
    label: str,
    operands: Sequence[Tensor],
    derivative: Callable[[Any], Sequence[Tensor | None]],
    saved: Sequence[Tensor] = (),
) -> Tensor:
    """Give a result that was computed unrecorded its place in the graph, where an operand has one.

    derivative: the result's gradient -> one for each operand. saved: the tensors that it reads, which must not be
        written to before.
    """
    if core.is_grad_enabled() and result.dtype.kind in "fc" and any(t.requires_grad for t in operands):
        wanted = [t for t in operands if t.requires_grad]
        versions = [0 if t.is_inference() else t._version for t in saved]

        def backward(grads: list[Any]) -> list[Tensor | None]:
            for t, version in zip(saved, versions, strict=True):
                if not t.is_inference() and t._version != version:
                    raise RuntimeError(
                        f"{label}: one of the variables needed for gradient computation has been modified by an "
                        f"inplace operation: a tensor of {t.dtype}, {list(t.shape)}, must be at version {version}; "
                        f"found {t._version}"
                    )
            found = derivative(grads[0])
            return [g for g, t in zip(found, operands, strict=True) if t.requires_grad]

        engine.set_history(result, engine.CallbackNode(label, backward, [engine.edge_of(t) for t in wanted]), 0)
    return result


def make(
    indices: Tensor,
    values: Tensor,
    size: Sequence[int],
    coalesced: bool = False,
    label: str = "SparseCooTensorBackward0",
) -> Tensor:
    """The sparse tensor of `indices` and `values`, a function of the values. label: of the node that it comes from."""
    made = plain(indices, values, size, coalesced)
    size = tuple(made.shape)
    return record(made, label, [values], lambda g: [picked(g, indices, size)])


def plain(indices: Tensor, values: Tensor, size: Sequence[int], coalesced: bool = False) -> Tensor:
    """A sparse tensor without history."""
    size = tuple(int(n) for n in size)
    coalesced = coalesced or int(indices.shape[1]) < 2
    return raw.layout_tensor(values.dtype, size, Coo(indices, raw.alias_of(values), coalesced))


def values_of(x: Tensor) -> Tensor:
    """The values of a sparse tensor, a function of it."""
    own = parts(x)
    size = tuple(x.shape)
    return record(raw.alias_of(own.values), "ValuesBackward0", [x], lambda g: [_once(own, g, size)])


def remade(x: Tensor, values: Tensor, label: str, coalesced: bool | None = None) -> Tensor:
    """A sparse tensor with the indices of `x` and other values."""
    own = parts(x)
    size = (*x.shape[: own.indices.shape[0]], *values.shape[1:])
    return make(own.indices, values, size, own.coalesced if coalesced is None else coalesced, label)


def _once(own: Coo, values: Tensor, size: Sequence[int]) -> Tensor:
    """The gradient of a sparse tensor by those of its values: entries at one place are one element, and have the same
    gradient; it is there once.
    """
    if own.coalesced:
        return make(own.indices, values, size, True)
    with unrecorded():
        keys, where = unique(linear(own.indices, size))
        n = int(own.indices.shape[1])
        first = TABLE["zeros"]((len(keys),), dtype=dt.int64).scatter_(0, where, TABLE["arange"](n))
        indices = own.indices[:, first]
    return make(indices, values[first], size, True)


def picked(g: Tensor, indices: Tensor, size: Sequence[int]) -> Tensor:
    """The elements of a tensor, sparse or dense, at `indices`: (count, *dense dimensions)."""
    n_sparse = int(indices.shape[0])
    if not g._keys_ & LAYOUT:
        if n_sparse == 0:
            return g.unsqueeze(0).expand(indices.shape[1], *g.shape)
        return g[tuple(indices.unbind(0))]
    g = coalesced(g)
    own = parts(g)
    if own.indices is indices:
        return values_of(g)
    if own.indices.shape[0] != n_sparse:
        return picked(dense(g), indices, size)
    with unrecorded():
        at, hit = found_at(linear(indices, size), linear(own.indices, size))
    if not count(g):
        return TABLE["zeros"]((indices.shape[1], *size[n_sparse:]), dtype=g.dtype)
    values = values_of(g)[at]
    return TABLE["where"](hit.reshape(-1, *[1] * (values.ndim - 1)), values, TABLE["zeros"]((), dtype=values.dtype))


def found_at(wanted: Tensor, keys: Tensor) -> tuple[Tensor, Tensor]:
    """Where each wanted key stands among sorted ones, and whether it is there at all."""
    at = TABLE["searchsorted"](keys, wanted)
    n = int(keys.shape[0])
    if not n:
        return at, TABLE["zeros"](wanted.shape, dtype=dt.bool_)
    at = at.clamp(max=n - 1)
    return at, keys[at] == wanted


def unique(keys: Tensor) -> tuple[Tensor, Tensor]:
    """Sorted keys, each once, and the place among them of every given one."""
    found = TABLE["unique"](keys, sorted=True, return_inverse=True)
    return found[0], found[1]


def strides_of(sizes: Sequence[int]) -> list[int]:
    """Row-major strides."""
    return [math.prod(sizes[d + 1 :]) for d in range(len(sizes))]


def linear(indices: Tensor, size: Sequence[int]) -> Tensor:
    """One row-major index for each column of indices."""
    n_sparse, n = (int(k) for k in indices.shape)
    if n_sparse == 0:
        return TABLE["zeros"]((n,), dtype=dt.int64)
    sizes = [int(k) for k in size[:n_sparse]]
    if math.prod(max(k, 1) for k in sizes) >= 1 << 63:
        raise RuntimeError(f"a sparse tensor of size {list(size)} has more places than 63 bits count")
    strides = strides_of(sizes)
    total = indices[0] * strides[0] if strides[0] != 1 else indices[0].clone()
    for d in range(1, n_sparse):
        total = total + (indices[d] * strides[d] if strides[d] != 1 else indices[d])
    return total


def unlinear(keys: Tensor, size: Sequence[int], n_sparse: int) -> Tensor:
    """The columns of indices that row-major ones stand for."""
    if n_sparse == 0:
        return TABLE["zeros"]((0, keys.shape[0]), dtype=dt.int64)
    rows = []
    for stride in strides_of([int(k) for k in size[:n_sparse]]):
        rows.append(TABLE["floor_divide"](keys, max(stride, 1)))
        keys = TABLE["remainder"](keys, max(stride, 1))
    return TABLE["stack"](rows)


def coalesced(x: Tensor) -> Tensor:
    """The tensor with its indices in order, each there once with the sum of its values; itself if it is so."""
    own = parts(x)
    if own.coalesced:
        return x
    with unrecorded():
        keys, where = unique(linear(own.indices, x.shape))
        indices = unlinear(keys, x.shape, sparse_dim(x))
    return make(indices, summed(values_of(x), where, len(keys)), x.shape, True, "CoalesceBackward0")


def summed(values: Tensor, where: Tensor, n: int) -> Tensor:
    """The sums of the values that go to each of n places; of bool whether any is true."""
    if values.dtype is dt.bool_:
        return summed(values.to(dt.int64), where, n) != 0
    zeros = TABLE["zeros"]((n, *values.shape[1:]), dtype=values.dtype)
    return TABLE["index_add"](zeros, 0, where, values)


def dense(x: Tensor) -> Tensor:
    """The dense tensor, a function of the sparse one whose gradient has entries where that has."""
    n_sparse = sparse_dim(x)
    values, indices = values_of(x), parts(x).indices
    if n_sparse == 0:
        return summed(values, TABLE["zeros"]((count(x),), dtype=dt.int64), 1)[0]
    flat = summed(values, linear(indices, x.shape), math.prod(x.shape[:n_sparse]))
    return flat.reshape(x.shape)


def sparse(x: Tensor, n_sparse: int | None = None) -> Tensor:
    """The sparse tensor of the elements of a dense one that are not zero, a function of it."""
    n_sparse = x.ndim if n_sparse is None else n_sparse
    with unrecorded():
        mask = x.detach() != 0
        if n_sparse < x.ndim:
            mask = mask.flatten(n_sparse).any(-1) if mask.numel() else mask.sum(list(range(n_sparse, x.ndim))) != 0
        indices = (
            TABLE["nonzero"](mask).t().contiguous() if n_sparse else TABLE["zeros"]((0, int(mask)), dtype=dt.int64)
        )
    with unrecorded():
        values = picked(x.detach(), indices, x.shape).clone()
    made = raw.layout_tensor(x.dtype, tuple(x.shape), Coo(indices, values, True))
    return record(made, "ToSparseBackward0", [x], lambda g: [dense(g) if g._keys_ & LAYOUT else g])


def kept(x: Tensor) -> Tensor:
    """The old value of a destination, with its place in the graph, before it is written to."""
    return record(raw.alias_of(x), "AliasBackward0", [x], lambda g: [g])


def replace(x: Tensor, new: Tensor) -> Tensor:
    """Make `x` what `new` is, in place, with its place in the graph."""
    own = parts(new)
    raw.set_parts(x, new.dtype, tuple(new.shape), own)
    x._bump_version()
    if new.grad_fn_ is not None:
        engine.set_history(x, new.grad_fn_, new.output_nr)
    return x
