"""Reductions: the dimensions `dims` go."""

# mypy: disable-error-code="override"
# (the rules name the parameters of their primitive, where the base class says **params)
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core.dtypes import dtype, int64
from rushlight.prims.base import (
    check,
    check_dim,
    check_dims,
    expand,
    literally,
    only,
    p,
    register,
    shift,
    to_front,
    zeros_like,
)
from rushlight.prims.types import Batched, Operands, ShapeRule, Tangents
from rushlight.program.ir import Primitive, Shape, Var
from rushlight.program.sym import Int, prod


class Reduce(Primitive):
    """Base of the reductions (x; dims)."""

    kind = "reduce"
    kinds = "uifc"

    def shape(self, *inputs: Var, dims: tuple[int, ...]) -> ShapeRule:
        (x,) = inputs
        check_dims(self, dims, x.ndim)
        check(x.dtype.kind in self.kinds, self, lambda: f"not defined for {x.dtype.name}", TypeError)
        return [(tuple(n for d, n in enumerate(x.shape) if d not in dims), x.dtype)]

    def simplify(self, *inputs: Var, dims: tuple[int, ...]) -> Var | None:
        (x,) = inputs
        kept = tuple(d for d in dims if not literally(x.shape[d], 1))
        if not dims:
            return x
        if len(kept) < len(dims):  # a reduction over one element is that element
            gone = [d for d in dims if d not in kept]
            x = p.reshape(x, shape=tuple(n for d, n in enumerate(x.shape) if d not in gone))
            return self(x, dims=tuple(d - sum(g < d for g in gone) for d in kept))
        return None

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        return [None]

    def batch(self, inputs: Sequence[Var], dims_: Sequence[int | None], size: Int, *, dims: tuple[int, ...]) -> Batched:
        return [self(to_front(inputs[0], dims_[0], size), dims=tuple(d + 1 for d in dims))], [0]


class ReduceSum(Reduce):
    name, linear = "reduce_sum", (0,)

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        return [None if tangents[0] is None else self(tangents[0], **params)]

    def transpose(self, cts: Tangents, inputs: Operands, *, dims: tuple[int, ...]) -> Tangents:
        ct = only(cts)
        return [expand(ct, inputs[0].shape, dims)]


class WindowSum(ReduceSum):
    """reduce_sum in sequence, from the first element to the last: for windows, which overlap and are often small. It is
    done for many windows at once.
    """

    name, in_sequence = "window_sum", True


class ReduceProd(Reduce):
    """The derivative in each element is the product of all others: of those before it and those after it, so a zero is
    no exception.
    """

    name = "reduce_prod"

    def jvp(
        self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, *, dims: tuple[int, ...]
    ) -> Tangents:
        (x,), (t,) = inputs, tangents
        if t is None:
            return [None]
        kept = [d for d in range(x.ndim) if d not in dims]
        shape = (*(x.shape[d] for d in kept), prod(x.shape[d] for d in dims))
        x, t = (p.reshape(p.permute(v, perm=(*kept, *dims)), shape=shape) for v in (x, t))
        last = len(kept)
        before = shift(p.cumprod(x, dim=last, reverse=False), last, 1.0, False)
        after = shift(p.cumprod(x, dim=last, reverse=True), last, 1.0, True)
        return [p.reduce_sum(p.mul(t, p.mul(before, after)), dims=(last,))]


class ReduceExtremum(Reduce):
    """reduce_max and reduce_min (NaN wins); elements that tie share the derivative evenly, as PyTorch's amax and
    amin.
    """

    kinds = "buif"

    def __init__(self, name: str) -> None:
        self.name = name

    def jvp(
        self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, *, dims: tuple[int, ...]
    ) -> Tangents:
        (x,), (y,), (t,) = inputs, outputs, tangents
        if t is None:
            return [None]
        top = expand(y, x.shape, dims)
        hit = p.or_(p.eq(x, top), p.and_(p.isnan(x), p.isnan(top)))
        ties = p.reduce_sum(p.convert(hit, dtype=x.dtype.compute), dims=dims)
        total = p.reduce_sum(p.select(hit, t, zeros_like(t)), dims=dims)
        return [p.div(total, p.convert(ties, dtype=t.dtype))]


class WindowExtremum(ReduceExtremum):
    """window_max and window_min: the same in sequence."""

    in_sequence = True


class ReduceBool(Reduce):
    """reduce_and, reduce_or and reduce_xor: bit by bit."""

    kinds = "bui"

    def __init__(self, name: str) -> None:
        self.name = name


class ArgReduce(Primitive):
    """argmax and argmin (x; dim): the int64 index of the first winner along `dim`; NaN wins."""

    kind = "reduce"

    def __init__(self, name: str) -> None:
        self.name = name

    def shape(self, *inputs: Var, dim: int) -> ShapeRule:
        (x,) = inputs
        check_dim(self, dim, x.ndim)
        check(x.dtype.kind in "buif", self, f"not defined for {x.dtype.name}", TypeError)
        out: tuple[Shape, dtype] = (tuple(n for d, n in enumerate(x.shape) if d != dim), int64)
        return [out]

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        return [None]

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, *, dim: int) -> Batched:
        return [self(to_front(inputs[0], dims[0], size), dim=dim + 1)], [0]


reduce_sum, reduce_prod = register(ReduceSum()), register(ReduceProd())
reduce_max, reduce_min = register(ReduceExtremum("reduce_max")), register(ReduceExtremum("reduce_min"))
reduce_and, reduce_or, reduce_xor = (register(ReduceBool(f"reduce_{name}")) for name in ("and", "or", "xor"))
window_sum, window_max, window_min = (
    register(WindowSum()),
    register(WindowExtremum("window_max")),
    register(WindowExtremum("window_min")),
)
argmax, argmin = register(ArgReduce("argmax")), register(ArgReduce("argmin"))
