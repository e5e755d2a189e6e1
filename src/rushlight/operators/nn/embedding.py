"""Tables of vectors: embedding, embedding_bag, one_hot."""

from __future__ import annotations

import math
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import tensor as _core
from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.operators.indexing.gather import check_places
from rushlight.operators.linalg.matmul import reshape
from rushlight.operators.linalg.norms import vector_norm
from rushlight.operators.shapes.layouts import of_sparse, sparse_module
from rushlight.operators.table.arguments import int_argument, size_argument
from rushlight.operators.table.body import has_values, spread, wide, with_rule
from rushlight.operators.table.checks import check_choice, check_kind, check_rank, check_same_shape
from rushlight.operators.table.define import IN_PLACE, eager, form, operator
from rushlight.operators.table.tracer import P, Tracer, constant, convert, filled
from rushlight.operators.table.types import Int, Sizes
from rushlight.program.sym import hint


def _indices(input: Tensor, name: str) -> Tracer:
    if input.dtype not in (dt.int64, dt.int32):
        raise RuntimeError(f"{name}(): 'input' must hold indices of dtype int64 or int32; found {input.dtype}")
    return convert(input, dt.int64)


def _padding(padding_idx: Any, rows: Any, name: str) -> Any:
    """The padding index counted from 0."""
    if padding_idx is None:
        return None
    padding_idx = size_argument(padding_idx, name, "padding_idx")
    if not -rows <= padding_idx < rows:
        n = hint(rows)
        raise AssertionError(
            f"{name}(): 'padding_idx' must be in [{-n}, {n - 1}] for {n} rows; found {hint(padding_idx)}"
        )
    return padding_idx if padding_idx >= 0 else rows + padding_idx


def lookup(weight: Tensor, index: Any, padding: Any, by_frequency: bool, name: str = "embedding") -> Tracer:
    """The rows of a table; the padding row has no gradient, and by_frequency divides each row's by how often it is
    read.
    """
    check_places(name, index, weight.var.shape[0], 0, RuntimeError)
    if padding is None and not by_frequency:
        return P.gather(weight, index, dims=(0,))

    def jvp(xs: Any, y: Any, ts: Any) -> Tracer | None:
        i = xs[1]
        t = P.gather(ts[0], i, dims=(0,))
        rows = tuple(range(i.ndim))
        if by_frequency:
            counts = P.scatter(
                P.broadcast_in_dim(convert(0, t.dtype), shape=xs[0].var.shape[:1], dims=()),
                i,
                constant(1, i.var.shape, t.dtype),
                dims=(0,),
                mode="add",
            )
            t = t / P.broadcast_in_dim(P.gather(counts, i, dims=(0,)), shape=t.var.shape, dims=rows)
        if padding is not None:
            skipped = i == filled(padding, i)
            t = P.select(P.broadcast_in_dim(skipped, shape=t.var.shape, dims=rows), 0, t)
        return t

    return with_rule(lambda w, i: P.gather(w, i, dims=(0,)), jvp, weight, index, name="embedding")


@operator(namespace=None, method=False, out=False, shape_class="index")
def _embedding(
    input: Tensor, weight: Tensor, padding_idx: Sizes | None = None, scale_grad_by_freq: bool = False
) -> Tensor:
    """embedding without renormalization."""
    check_rank("embedding", "weight", weight, 2)
    return lookup(
        weight,
        _indices(input, "embedding"),
        _padding(padding_idx, weight.var.shape[0], "embedding"),
        scale_grad_by_freq,
    )


@operator(name="embedding_renorm", namespace=None, method=False, inplace="argument", out=False)
def _renormalized(weight: Tensor, input: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """The table with the rows that `input` names scaled down to a norm of at most max_norm."""
    w = wide(weight)
    index = _indices(input, "embedding")
    named = P.scatter(
        P.broadcast_in_dim(convert(False, dt.bool_), shape=w.var.shape[:1], dims=()),
        index,
        P.broadcast_in_dim(convert(True, dt.bool_), shape=index.var.shape, dims=()),
        dims=(0,),
        mode="set",
    )
    n = vector_norm(w, norm_type, (1,), False)
    scale = max_norm / (n + 1e-07)
    shrink = named & (n > max_norm)
    factor = P.select(shrink, scale, 1)
    return convert(w * spread(factor, w, (1,)), weight.dtype)


@eager(method=False, shape_class="index", checked=True)
def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """Scale the rows of a table that `indices` names down to a norm of at most max_norm, in place."""
    renormalize_(input, indices, max_norm, norm_type)
    return input


def renormalize_(weight: Tensor, input: Tensor, max_norm: float, norm_type: float) -> None:
    """Scale the rows of a table that `input` names down to max_norm, in place and without history."""
    from rushlight.core import tensor as core

    before = core.is_grad_enabled()
    core.set_grad_enabled_raw(False)
    try:
        IN_PLACE[_renormalized](weight, input, float(max_norm), float(norm_type))
    finally:
        core.set_grad_enabled_raw(before)


def _none_below_zero(name: str, padding_idx: int) -> int | None:
    padding_idx = int_argument(padding_idx, name, "padding_idx")
    return None if padding_idx < 0 else padding_idx


@eager(
    namespace="nn.functional",
    method=False,
    shape_class="index",
    forms={
        "embedding": form(
            "weight",
            "indices",
            padding_idx=-1,
            scale_grad_by_freq=False,
            sparse=False,
            same={"indices": "input"},
            convert={"padding_idx": _none_below_zero},
        )
    },
)
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` that `input` names.

    Args:
        input: int64 or int32, any shape.
        weight: (rows, size).
        padding_idx: a row without gradient.
        max_norm: rows that are read are first scaled down to this norm_type-norm, in place.
        scale_grad_by_freq: gradients are divided by how often a row is read.
        sparse: the gradient of `weight` is a sparse tensor of the rows that were read.

    Returns:
        (*input.shape, size).

    Raises:
        IndexError: for an index outside of the table.
    """
    if max_norm is not None:
        renormalize_(weight, input, max_norm, norm_type)
    if sparse and wants_sparse(weight):
        return of_sparse("gradients.embedding", input, weight, padding_idx, scale_grad_by_freq, _embedding)
    return _embedding(input, weight, padding_idx, scale_grad_by_freq)


def wants_sparse(weight: Tensor) -> bool:
    """Whether a call with sparse=True, whose gradient of `weight` is sparse, is recorded, and no transform sees it."""
    return has_values(weight) and weight.requires_grad and _core.is_grad_enabled()


@operator(namespace=None, method=False, out=False, shape_class="index")
def _embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None,
    per_sample_weights: Tensor | None,
    mode: str,
    scale_grad_by_freq: bool,
    include_last_offset: bool,
    padding_idx: Sizes | None,
) -> Tensor:
    """embedding_bag without renormalization."""
    name = "embedding_bag"
    check_kind(name, "weight", weight, "f")
    check_rank(name, "weight", weight, 2)
    check_choice(name, "mode", mode, ("sum", "mean", "max"), ValueError)
    if per_sample_weights is not None:
        if mode != "sum":
            raise NotImplementedError(f"{name}(): 'per_sample_weights' is for mode='sum'; found mode={mode!r}")
        check_same_shape(name, "per_sample_weights", per_sample_weights, input, ValueError)
    index = _indices(input, name)
    size = weight.var.shape[1]
    padding = _padding(padding_idx, weight.var.shape[0], name)
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError(
                f"{name}(): 'offsets' is for an input of 1 dimension; found one of 2, whose rows are the bags"
            )
        bags = input.var.shape[0]
        flat = reshape(index, input.var.shape[0] * input.var.shape[1])
        position = reshape(
            P.iota(shape=input.var.shape, dim=0, dtype=dt.int64), input.var.shape[0] * input.var.shape[1]
        )
        if per_sample_weights is not None:
            per_sample_weights = reshape(per_sample_weights, input.var.shape[0] * input.var.shape[1])
    elif input.ndim == 1:
        if offsets is None:
            raise ValueError(f"{name}(): 'offsets' must be given for an input of 1 dimension; found None")
        if offsets.ndim != 1:
            raise ValueError(f"{name}(): 'offsets' must be a vector; found a {offsets.ndim}-d tensor")
        flat = index
        bags = offsets.var.shape[0] - (1 if include_last_offset else 0)
        full = (flat.var.shape[0], offsets.var.shape[0])
        starts = P.broadcast_in_dim(convert(offsets, dt.int64), shape=full, dims=(1,))
        begun = starts <= P.iota(shape=full, dim=0, dtype=dt.int64)
        position = P.reduce_sum(convert(begun, dt.int64), dims=(1,))
        position = P.min(position - 1, filled(bags - 1, position))
    else:
        raise ValueError(f"{name}(): 'input' must be of 1 or 2 dimensions; found {input.ndim}")
    rows = wide(lookup(weight, flat, padding, scale_grad_by_freq, name))
    counted = (
        constant(1.0, flat.var.shape, rows.dtype)
        if padding is None
        else convert(flat != filled(padding, flat), rows.dtype)
    )
    zeros = P.broadcast_in_dim(convert(0, rows.dtype), shape=(bags, size), dims=())
    every = P.broadcast_in_dim(counted, shape=rows.var.shape, dims=(0,))
    count = P.scatter(
        P.broadcast_in_dim(convert(0, rows.dtype), shape=(bags,), dims=()), position, counted, dims=(0,), mode="add"
    )
    if mode == "max":
        least = filled(-math.inf, rows)
        top = P.scatter(filled(-math.inf, zeros), position, P.select(every != 0, rows, least), dims=(0,), mode="max")
        empty = P.broadcast_in_dim(count == 0, shape=top.var.shape, dims=(0,))
        return convert(P.select(empty, zeros, top), weight.dtype)
    if padding is not None:
        rows = rows * every
    if per_sample_weights is not None:
        rows = rows * P.broadcast_in_dim(convert(per_sample_weights, rows.dtype), shape=rows.var.shape, dims=(0,))
    y = P.scatter(zeros, position, rows, dims=(0,), mode="add")
    if mode == "mean":
        y = y / P.broadcast_in_dim(P.max(count, 1), shape=y.var.shape, dims=(0,))
    return convert(y, weight.dtype)


@eager(namespace="nn.functional", method=False, shape_class="index")
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Any = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Sums, means or maxima of bags of rows of `weight`.

    Args:
        input: indices, (bags, length), or (total) with offsets: (bags), where each bag begins (include_last_offset: and
            where the last one ends).
        mode: "sum", "mean" or "max".
        per_sample_weights: factors of the rows, for "sum".
        padding_idx: an index that counts nothing. The others are those of embedding.
    """
    if input.dtype.kind == "f" and isinstance(weight, Tensor) and weight.dtype in (dt.int64, dt.int32):
        warn("embedding_bag(): the order (weight, input) is deprecated; write embedding_bag(input, weight, ...)")
        input, weight = weight, input
    if max_norm is not None:
        renormalize_(weight, input, max_norm, norm_type)
    if sparse and wants_sparse(weight):
        sparse_module("gradients").check_bag(mode, scale_grad_by_freq)
        with sparse_module("parts").unrecorded():  # which checks the arguments
            _embedding_bag(
                input, weight, offsets, per_sample_weights, mode, scale_grad_by_freq, include_last_offset, padding_idx
            )
        return of_sparse(
            "gradients.embedding_bag",
            input,
            weight,
            offsets,
            mode,
            per_sample_weights,
            include_last_offset,
            padding_idx,
            _embedding,
        )
    return _embedding_bag(
        input, weight, offsets, per_sample_weights, mode, scale_grad_by_freq, include_last_offset, padding_idx
    )


@operator(namespace=None, method=False, out=False)
def _one_hot(tensor: Tensor, num_classes: Int) -> Tensor:
    """int64 ones where the last dimension's position is the class."""
    shape = (*tensor.var.shape, num_classes)
    position = P.iota(shape=shape, dim=tensor.ndim, dtype=dt.int64)
    return convert(position == P.broadcast_in_dim(tensor, shape=shape, dims=tuple(range(tensor.ndim))), dt.int64)


@eager(namespace="nn.functional", method=False)
def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """int64 ones at each class, zeros elsewhere: (*) to (*, num_classes); num_classes=-1: the greatest class plus 1.

    Raises:
        RuntimeError: for negative classes and classes beyond num_classes.
    """
    if tensor.dtype is not dt.int64:
        raise RuntimeError(f"one_hot(): 'tensor' must hold class indices of dtype int64; found {tensor.dtype}")
    if not tensor.numel():
        if num_classes <= 0:
            wanted = "given" if num_classes == -1 else "at least 1"
            raise RuntimeError(
                f"one_hot(): 'num_classes' must be {wanted} for a tensor without elements; found {num_classes}"
            )
        return _one_hot(tensor, num_classes)
    if num_classes != -1 and num_classes < 1:
        raise RuntimeError(f"one_hot(): 'num_classes' must be at least 1; found {num_classes}")
    if num_classes != -1 and tensor.is_meta:
        return _one_hot(tensor, num_classes)
    if tensor.min().item() < 0:
        raise RuntimeError(f"one_hot(): the elements of 'tensor' must be at least 0; found {tensor.min().item()}")
    top = tensor.max().item()
    if num_classes == -1:
        num_classes = top + 1
    elif top >= num_classes:
        raise RuntimeError(
            f"one_hot(): the elements of 'tensor' must be less than num_classes={num_classes}; found {top}"
        )
    return _one_hot(tensor, num_classes)
