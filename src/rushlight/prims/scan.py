"""Scans along a dimension: each element depends on those before it (or after it, when `reverse`)."""

# mypy: disable-error-code="override"
# (the rules name the parameters of their primitive, where the base class says **params)
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core.dtypes import dtype, int64
from rushlight.prims.base import (
    add_any,
    check,
    check_dim,
    conj,
    full_like,
    only,
    p,
    register,
    shift,
    take_along,
    to_front,
)
from rushlight.prims.types import Batched, Operands, ShapeRule, Tangents
from rushlight.program.ir import Hole, Primitive, Var
from rushlight.program.sym import Int


class Scan(Primitive):
    """Base of the scans (x; dim, reverse).

    rounding: the dtypes to which the running values are rounded, one after the other, as they are stored; only the
    compiler sets it, after all transforms.
    """

    apart = "each element depends on those before it"
    kind = "scan"

    def __init__(self, name: str, kinds: str) -> None:
        self.name, self.kinds = name, kinds

    def shape(self, *inputs: Var, dim: int, reverse: bool, rounding: tuple[dtype, ...] = ()) -> ShapeRule:
        x = inputs[0]
        check(len(inputs) == 1, self, lambda: f"expected 1 operand; found {len(inputs)}")
        check_dim(self, dim, x.ndim)
        check(x.dtype.kind in self.kinds, self, lambda: f"not defined for {x.dtype.name}", TypeError)
        return [(x.shape, rounding[-1] if rounding else x.dtype)]

    def jvp(
        self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, *, dim: int, reverse: bool
    ) -> Tangents:
        (x,), (y,), (t,) = inputs, outputs, tangents
        return [None if t is None else self.tangent(x, y, t, dim, reverse)]

    def tangent(self, x: Var, y: Var, t: Var, dim: int, reverse: bool) -> Var:
        """The tangent of the result y, for that of the operand x."""
        raise NotImplementedError

    def batch(
        self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, *, dim: int, reverse: bool
    ) -> Batched:
        moved = [to_front(v, d, size) for v, d in zip(inputs, dims, strict=True)]
        return [self(*moved, dim=dim + 1, reverse=reverse)], [0]


class Cumsum(Scan):
    linear = (0,)

    def tangent(self, x: Var, y: Var, t: Var, dim: int, reverse: bool) -> Var:
        return self(t, dim=dim, reverse=reverse)

    def transpose(self, cts: Tangents, inputs: Operands, *, dim: int, reverse: bool) -> Tangents:
        ct = only(cts)
        return [self(ct, dim=dim, reverse=not reverse)]


class Cumprod(Scan):
    """y[k] = x[k] y[k-1], so dy[k] = x[k] dy[k-1] + y[k-1] dx[k]: no division, and a zero is no exception."""

    def tangent(self, x: Var, y: Var, t: Var, dim: int, reverse: bool) -> Var:
        before = shift(y, dim, 1.0, reverse)
        return p.linrec(x, p.mul(t, before), dim=dim, reverse=reverse)


class CumExtremum(Scan):
    """cummax and cummin (NaN wins from then on); the derivative belongs to the last element that tied."""

    def tangent(self, x: Var, y: Var, t: Var, dim: int, reverse: bool) -> Var:
        at = p.iota(shape=x.shape, dim=dim, dtype=int64)
        won = p.or_(p.eq(x, y), p.and_(p.isnan(x), p.isnan(y)))
        if reverse:  # the last in the direction of the scan is the smallest index
            size = p.reduce_max(at, dims=tuple(range(x.ndim)))
            never = p.broadcast_in_dim(size, shape=x.shape, dims=())
            index = p.cummin(p.select(won, at, never), dim=dim, reverse=True)
        else:
            index = p.cummax(p.select(won, at, full_like(at, 0)), dim=dim, reverse=False)
        return take_along(t, index, dim)


class Cumlogsumexp(Scan):
    """y[k] = log(exp(y[k-1]) + exp(x[k])), so dy[k] = exp(y[k-1] - y[k]) dy[k-1] + exp(x[k] - y[k]) dx[k]."""

    def tangent(self, x: Var, y: Var, t: Var, dim: int, reverse: bool) -> Var:
        low = float("-inf")
        before = shift(y, dim, low, reverse)
        # -inf - -inf (nothing summed yet) is taken as a weight of zero.
        empty = p.eq(y, full_like(y, low))
        kept = p.select(empty, full_like(y, 0.0), p.exp(p.sub(before, y)))
        new = p.select(empty, full_like(y, 0.0), p.exp(p.sub(x, y)))
        return p.linrec(kept, p.mul(t, new), dim=dim, reverse=reverse)


class Linrec(Scan):
    """linrec(a, b; dim, reverse): the linear recurrence y[k] = a[k] y[k-1] + b[k] with y[-1] = 0; linear in b.

    The derivative of the other scans; closed under differentiation and transposition (which runs the other way).
    """

    linear = (1,)

    def shape(self, *inputs: Var, dim: int, reverse: bool, rounding: tuple[dtype, ...] = ()) -> ShapeRule:
        check(len(inputs) == 2, self, lambda: f"expected 2 operands; found {len(inputs)}")
        a, b = inputs
        check(
            a.ndim == b.ndim and a.shape == b.shape, self, lambda: f"expected operands of one shape; found {a} and {b}"
        )
        check(a.dtype is b.dtype, self, lambda: f"expected operands of one dtype; found {a} and {b}", TypeError)
        return super().shape(b, dim=dim, reverse=reverse, rounding=rounding)

    def jvp(
        self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, *, dim: int, reverse: bool
    ) -> Tangents:
        (a, _), (y,), (ta, tb) = inputs, outputs, tangents
        source = None if ta is None else p.mul(ta, shift(y, dim, 0.0, reverse))
        source = add_any(source, tb)
        return [None if source is None else self(a, source, dim=dim, reverse=reverse)]

    def transpose(self, cts: Tangents, inputs: Operands, *, dim: int, reverse: bool) -> Tangents:
        ct, a = only(cts), inputs[0]
        assert not isinstance(a, Hole), "linrec: not linear in the coefficients"
        # b[k] reaches y[k], and through a[k+1] whatever b[k+1] reaches.
        return [None, self(shift(conj(a), dim, 0.0, not reverse), ct, dim=dim, reverse=not reverse)]


class BandRecurrence(Primitive):
    """Base of the recurrences over a plane (b, a0, a1, ...; dims, reverse), dims = (step, place): at each step, each
    place takes in the results of the step before at itself and at the places just before it, a_k those k places back.

    reverse: from the last step to the first, and from the places behind.
    """

    apart = "each element depends on those before it"
    kind, shape_class = "band", "scan"

    def __init__(self, name: str, kinds: str) -> None:
        self.name, self.kinds = name, kinds

    def shape(self, *inputs: Var, dims: tuple[int, int], reverse: bool) -> ShapeRule:
        b, *bands = inputs
        check(bool(bands), self, "expected at least one coefficient")
        for d in dims:
            check_dim(self, d, b.ndim)
        check(dims[0] < dims[1], self, lambda: f"expected dims (step, place) in ascending order; found {dims}")
        check(b.dtype.kind in self.kinds, self, lambda: f"not defined for {b.dtype.name}", TypeError)
        for a in bands:
            check(
                a.ndim == b.ndim and a.shape == b.shape,
                self,
                lambda: f"expected operands of one shape; found {b} and {a}",
            )
            check(a.dtype is b.dtype, self, lambda: f"expected operands of one dtype; found {b} and {a}", TypeError)
        return [(b.shape, b.dtype)]

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, **params: Any) -> Batched:
        moved = [to_front(v, d, size) for v, d in zip(inputs, dims, strict=True)]
        step, place = params["dims"]
        return [self(*moved, dims=(step + 1, place + 1), reverse=params["reverse"])], [0]

    def before(self, y: Var, k: int, dims: tuple[int, int], reverse: bool, fill: float) -> Var:
        """y one step earlier and k places back, `fill` where there is none."""
        step, place = dims
        margin = tuple(1 if d == step else k if d == place else 0 for d in range(y.ndim))
        none = (0,) * y.ndim
        wide = p.pad(
            y,
            p.constant(value=fill, dtype=y.dtype),
            low=none if reverse else margin,
            high=margin if reverse else none,
            interior=none,
        )
        return p.slice(wide, starts=margin if reverse else none, sizes=y.shape, steps=(1,) * y.ndim)


class Bandrec(BandRecurrence):
    """y[t, s] = b[t, s] + sum_k a_k[t, s] y[t-1, s-k], with y = 0 outside; linear in b.

    Closed under differentiation and transposition, as linrec is, which it extends to vectors coupled by a banded
    matrix.
    """

    linear = (0,)

    def jvp(
        self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, *, dims: tuple[int, int], reverse: bool
    ) -> Tangents:
        (_, *bands), (y,), (source, *ts) = inputs, outputs, tangents
        for k, t in enumerate(ts):
            if t is not None:
                source = add_any(source, p.mul(t, self.before(y, k, dims, reverse, 0.0)))
        return [None if source is None else self(source, *bands, dims=dims, reverse=reverse)]

    def transpose(self, cts: Tangents, inputs: Operands, *, dims: tuple[int, int], reverse: bool) -> Tangents:
        ct, (_, *bands) = only(cts), inputs
        # b[t, s] reaches y[t, s], and through a_k[t+1, s+k] whatever b[t+1, s+k] reaches.
        back = []
        for k, a in enumerate(bands):
            assert not isinstance(a, Hole), "bandrec: not linear in the coefficients"
            back.append(self.before(conj(a), k, dims, not reverse, 0.0))
        return [self(ct, *back, dims=dims, reverse=not reverse), *[None] * len(bands)]


class Logbandrec(BandRecurrence):
    """The same among logarithms: y[t, s] = log(exp(b[t, s]) + sum_k exp(a_k[t, s] + y[t-1, s-k])), with y = -inf
    outside.

    Its derivative is a bandrec whose coefficients are each summand's share of the sum: they are in [0, 1], so neither
    direction over- or underflows however many steps there are.
    """

    def jvp(
        self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, *, dims: tuple[int, int], reverse: bool
    ) -> Tangents:
        (b, *bands), (y,), (tb, *ts) = inputs, outputs, tangents
        low = float("-inf")
        # Where nothing was summed all shares are exp(-inf), not exp(-inf - -inf).
        total = p.select(p.eq(y, full_like(y, low)), full_like(y, 0.0), y)

        def share(summand: Var) -> Var:
            return p.exp(p.sub(summand, total))

        source = None if tb is None else p.mul(share(b), tb)
        shares = []
        for k, (a, t) in enumerate(zip(bands, ts, strict=True)):
            shares.append(share(p.add(a, self.before(y, k, dims, reverse, low))))
            source = add_any(source, None if t is None else p.mul(shares[-1], t))
        return [None if source is None else p.bandrec(source, *shares, dims=dims, reverse=reverse)]


cumsum, cumprod = register(Cumsum("cumsum", "uifc")), register(Cumprod("cumprod", "uifc"))
cummax, cummin = register(CumExtremum("cummax", "buif")), register(CumExtremum("cummin", "buif"))
cumlogsumexp, linrec = register(Cumlogsumexp("cumlogsumexp", "fc")), register(Linrec("linrec", "fc"))
bandrec, logbandrec = register(Bandrec("bandrec", "fc")), register(Logbandrec("logbandrec", "f"))
