"""Scans along a dimension: each element depends on those before it (or after it, when `reverse`)."""
# mypy: disable-error-code="override"
# (the rules name the parameters of their primitive, where the base class says **params)
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core.dtypes import int64
from rushlight.prims.base import (
    Batched,
    Operands,
    ShapeRule,
    Tangents,
    add_any,
    check,
    check_dim,
    conj,
    full_like,
    p,
    register,
    shift,
    take_along,
    to_front,
)
from rushlight.program.ir import Hole, Primitive, Var
from rushlight.program.sym import Int


class Scan(Primitive):
    """Base of the scans (x; dim, reverse)."""

    kind = "scan"

    def __init__(self, name: str, kinds: str) -> None:
        self.name, self.kinds = name, kinds

    def shape(self, *inputs: Var, dim: int, reverse: bool) -> ShapeRule:
        x = inputs[0]
        check(len(inputs) == 1, self, lambda: f"expected 1 operand, got {len(inputs)}")
        check_dim(self, dim, x.ndim)
        check(x.dtype.kind in self.kinds, self, lambda: f"not defined for {x.dtype.name}", TypeError)
        return [(x.shape, x.dtype)]

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, *, dim: int, reverse: bool) -> Batched:
        moved = [to_front(v, d, size) for v, d in zip(inputs, dims, strict=True)]
        return [self(*moved, dim=dim + 1, reverse=reverse)], [0]


class Cumsum(Scan):
    linear = (0,)

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        return [None if tangents[0] is None else self(tangents[0], **params)]

    def transpose(self, cts: Tangents, inputs: Operands, *, dim: int, reverse: bool) -> Tangents:
        (ct,) = cts
        assert ct is not None
        return [self(ct, dim=dim, reverse=not reverse)]


class Cumprod(Scan):
    """y[k] = x[k] y[k-1], so dy[k] = x[k] dy[k-1] + y[k-1] dx[k]: no division, and a zero is no exception."""

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, *, dim: int, reverse: bool) -> Tangents:
        (x,), (y,), (t,) = inputs, outputs, tangents
        if t is None:
            return [None]
        before = shift(y, dim, 1.0, reverse)
        return [p.linrec(x, p.mul(t, before), dim=dim, reverse=reverse)]


class CumExtremum(Scan):
    """cummax and cummin (NaN wins from then on); the derivative belongs to the last element that tied."""

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, *, dim: int, reverse: bool) -> Tangents:
        (x,), (y,), (t,) = inputs, outputs, tangents
        if t is None:
            return [None]
        at = p.iota(shape=x.shape, dim=dim, dtype=int64)
        won = p.or_(p.eq(x, y), p.and_(p.isnan(x), p.isnan(y)))
        if reverse:  # the last in the direction of the scan is the smallest index
            size = p.reduce_max(at, dims=tuple(range(x.ndim)))
            never = p.broadcast_in_dim(size, shape=x.shape, dims=())
            index = p.cummin(p.select(won, at, never), dim=dim, reverse=True)
        else:
            index = p.cummax(p.select(won, at, full_like(at, 0)), dim=dim, reverse=False)
        return [take_along(t, index, dim)]


class Cumlogsumexp(Scan):
    """y[k] = log(exp(y[k-1]) + exp(x[k])), so dy[k] = exp(y[k-1] - y[k]) dy[k-1] + exp(x[k] - y[k]) dx[k]."""

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, *, dim: int, reverse: bool) -> Tangents:
        (x,), (y,), (t,) = inputs, outputs, tangents
        if t is None:
            return [None]
        low = float("-inf")
        before = shift(y, dim, low, reverse)
        # -inf - -inf (nothing summed yet) is taken as a weight of zero.
        empty = p.eq(y, full_like(y, low))
        kept = p.select(empty, full_like(y, 0.0), p.exp(p.sub(before, y)))
        new = p.select(empty, full_like(y, 0.0), p.exp(p.sub(x, y)))
        return [p.linrec(kept, p.mul(t, new), dim=dim, reverse=reverse)]


class Linrec(Scan):
    """linrec(a, b; dim, reverse): the linear recurrence y[k] = a[k] y[k-1] + b[k] with y[-1] = 0; linear in b.

    The derivative of the other scans; closed under differentiation and transposition (which runs the other way).
    """

    linear = (1,)

    def shape(self, *inputs: Var, dim: int, reverse: bool) -> ShapeRule:
        check(len(inputs) == 2, self, lambda: f"expected 2 operands, got {len(inputs)}")
        a, b = inputs
        check(a.ndim == b.ndim and a.shape == b.shape, self, lambda: f"expected operands of one shape, got {a} and {b}")
        check(a.dtype is b.dtype, self, lambda: f"expected operands of one dtype, got {a} and {b}", TypeError)
        return super().shape(b, dim=dim, reverse=reverse)

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, *, dim: int, reverse: bool) -> Tangents:
        (a, _), (y,), (ta, tb) = inputs, outputs, tangents
        source = None if ta is None else p.mul(ta, shift(y, dim, 0.0, reverse))
        source = add_any(source, tb)
        return [None if source is None else self(a, source, dim=dim, reverse=reverse)]

    def transpose(self, cts: Tangents, inputs: Operands, *, dim: int, reverse: bool) -> Tangents:
        (ct,), a = cts, inputs[0]
        assert ct is not None
        assert not isinstance(a, Hole), "linrec: not linear in the coefficients"
        # b[k] reaches y[k], and through a[k+1] whatever b[k+1] reaches.
        return [None, self(shift(conj(a), dim, 0.0, not reverse), ct, dim=dim, reverse=not reverse)]


cumsum, cumprod = register(Cumsum("cumsum", "uifc")), register(Cumprod("cumprod", "uifc"))
cummax, cummin = register(CumExtremum("cummax", "buif")), register(CumExtremum("cummin", "buif"))
cumlogsumexp, linrec = register(Cumlogsumexp("cumlogsumexp", "fc")), register(Linrec("linrec", "fc"))
