"""Computed index maps: results whose elements are taken from several operands or from a fill value."""

# mypy: disable-error-code="override"
# (the rules name the parameters of their primitive, where the base class says **params)
from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from rushlight.core.dtypes import bool_
from rushlight.prims.base import (
    check,
    check_dim,
    full,
    jointly_linear,
    literally,
    only,
    p,
    register,
    to_front,
    zeros_like,
)
from rushlight.prims.types import Batched, Operands, ShapeRule, Tangents
from rushlight.program.ir import Eqn, Hole, Primitive, Shape, Var
from rushlight.program.sym import Int, sym_max

# A result in parts: the number (rank 0) that fills it, if any, then its operands, each with the offset and the strides
# of its place there.
# (An assignment, since a class compiles annotations that are text, which costs more than the rest of it.)
Pieces = NamedTuple(  # noqa: UP014
    "Pieces", [("fill", Var | None), ("operands", list[tuple[Var, Int, tuple[Int, ...]]])]
)


class Placement(Primitive):
    """Base of the computed index maps: each operand lies somewhere in the result."""

    apart = "its parts are written one after the other"
    kind = "index"

    def pieces(self, inputs: Sequence[Var], strides: tuple[Int, ...], **params: Any) -> Pieces:
        """Where the operands lie in a result of these strides."""
        raise NotImplementedError(f"{self.name}: no rule of where its operands lie")


def pieces(e: Eqn, strides: tuple[Int, ...]) -> Pieces:
    """Where the operands of equation `e` lie in its result, which has these strides; see Placement.pieces."""
    assert isinstance(e.prim, Placement)
    return e.prim.pieces(e.inputs, strides, **e.params)


class Pad(Placement):
    """pad(x, value; low, high, interior): `value` (rank 0) around x and, `interior` times, between its elements."""

    name, linear = "pad", (0, 1)

    def pieces(
        self, inputs: Sequence[Var], strides: tuple[Int, ...], *, low: Shape, high: Shape, interior: Shape
    ) -> Pieces:
        x, value = inputs
        start: Int = 0
        for lo, s in zip(low, strides, strict=True):
            start = start + lo * s
        return Pieces(value, [(x, start, tuple(s * (g + 1) for g, s in zip(interior, strides, strict=True)))])

    def shape(self, *inputs: Var, low: Shape, high: Shape, interior: Shape) -> ShapeRule:
        check(len(inputs) == 2, self, lambda: f"expected an operand and a fill value; found {len(inputs)} operands")
        x, value = inputs
        check(
            value.ndim == 0 and value.dtype is x.dtype,
            self,
            lambda: f"expected a fill value {x.dtype.name}[]; found {value}",
            TypeError,
        )
        check(
            len(low) == len(high) == len(interior) == x.ndim,
            self,
            lambda: f"expected {x.ndim} widths; found {low}, {high}, {interior}",
        )
        out = []
        for n, lo, hi, gap in zip(x.shape, low, high, interior, strict=True):
            for w in (lo, hi, gap):
                check(
                    literally(w, 0) or w >= 0,
                    self,
                    lambda: f"expected widths >= 0; found low {low}, high {high}, interior {interior}",
                )
            inner = n if literally(gap, 0) else n + sym_max(n - 1, 0) * gap
            out.append(lo + inner + hi)
        return [(tuple(out), x.dtype)]

    def simplify(self, *inputs: Var, low: Shape, high: Shape, interior: Shape) -> Var | None:
        return inputs[0] if all(literally(w, 0) for w in (*low, *high, *interior)) else None

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        return jointly_linear(self, inputs, tangents, params)

    def transpose(self, cts: Tangents, inputs: Operands, *, low: Shape, high: Shape, interior: Shape) -> Tangents:
        ct, (x, value) = only(cts), inputs
        inside = p.slice(ct, starts=tuple(low), sizes=x.shape, steps=tuple(g + 1 for g in interior))
        ct_value = None
        if isinstance(value, Hole):
            every = tuple(range(ct.ndim))
            ct_value = p.sub(p.reduce_sum(ct, dims=every), p.reduce_sum(inside, dims=every))
        return [inside if isinstance(x, Hole) else None, ct_value]

    def batch(
        self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, *, low: Shape, high: Shape, interior: Shape
    ) -> Batched:
        x, value = inputs
        x = to_front(x, dims[0], size)
        params = {"low": (0, *low), "high": (0, *high), "interior": (0, *interior)}
        if dims[1] is None:
            return [self(x, value, **params)], [0]
        # A fill value for each example: pad with zeros, and put the values where a padded mask says so.
        zero = zeros_like(Hole(Var((), x.dtype)))
        padded = self(x, zero, **params)
        outside = self(full(x.shape, False, bool_), p.constant(value=True, dtype=bool_), **params)
        return [p.select(outside, p.broadcast_in_dim(value, shape=padded.shape, dims=(0,)), padded)], [0]


class Concatenate(Placement):
    """concatenate(*xs; dim)."""

    name, shape_class = "concatenate", "join"

    def pieces(self, inputs: Sequence[Var], strides: tuple[Int, ...], *, dim: int) -> Pieces:
        starts = accumulate((x.shape[dim] * strides[dim] for x in inputs), initial=0)
        return Pieces(None, [(x, start, strides) for x, start in zip(inputs, starts)])

    def shape(self, *inputs: Var, dim: int) -> ShapeRule:
        check(len(inputs) > 0, self, "expected at least one operand")
        first = inputs[0]
        check_dim(self, dim, first.ndim)
        total: Int = 0
        for v in inputs:
            check(
                v.dtype is first.dtype,
                self,
                lambda: f"expected operands of one dtype; found {first} and {v}",
                TypeError,
            )
            fits = v.ndim == first.ndim and all(
                a == b for d, (a, b) in enumerate(zip(v.shape, first.shape, strict=True)) if d != dim
            )
            check(
                fits,
                self,
                lambda: f"the operands may differ in size along dimension {dim} alone; found {first} and {v}",
            )
            total = total + v.shape[dim]
        return [((*first.shape[:dim], total, *first.shape[dim + 1 :]), first.dtype)]

    def simplify(self, *inputs: Var, dim: int) -> Var | None:
        return inputs[0] if len(inputs) == 1 else None

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        return jointly_linear(self, inputs, tangents, params)

    def transpose(self, cts: Tangents, inputs: Operands, *, dim: int) -> Tangents:
        ct = only(cts)
        at: Int = 0
        out: list[Var | None] = []
        for v in inputs:
            starts = tuple(at if d == dim else 0 for d in range(ct.ndim))
            out.append(p.slice(ct, starts=starts, sizes=v.shape, steps=(1,) * ct.ndim) if isinstance(v, Hole) else None)
            at = at + v.shape[dim]
        return out

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, *, dim: int) -> Batched:
        return [self(*(to_front(v, d, size) for v, d in zip(inputs, dims, strict=True)), dim=dim + 1)], [0]


class DiagEmbed(Placement):
    """diag_embed(x; offset, dim1, dim2, sizes): the last dim of x on a diagonal of zeros in dims dim1, dim2 of the
    result, of these sizes; without them, of the least square.
    """

    name, linear = "diag_embed", (0,)

    def pieces(
        self,
        inputs: Sequence[Var],
        strides: tuple[Int, ...],
        *,
        offset: Int,
        dim1: int,
        dim2: int,
        sizes: tuple[Int, ...] = (),
    ) -> Pieces:
        (x,) = inputs
        outer = [s for d, s in enumerate(strides) if d not in (dim1, dim2)]
        below = offset < 0  # a symbol's sign was decided by the shape rule: no new guard
        start = -offset * strides[dim1] if below else offset * strides[dim2]
        zero = Eqn(p.constant, (), {"value": 0, "dtype": x.dtype})  # of no program: it is the compiler's own
        zero.outputs = (Var((), x.dtype, "value", zero),)
        return Pieces(zero.outputs[0], [(x, start, (*outer, strides[dim1] + strides[dim2]))])

    def shape(self, *inputs: Var, offset: Int, dim1: int, dim2: int, sizes: tuple[Int, ...] = ()) -> ShapeRule:
        (x,) = inputs
        check(x.ndim >= 1, self, "expected an operand with a dimension")
        check_dim(self, dim1, x.ndim + 1)
        check_dim(self, dim2, x.ndim + 1)
        check(dim1 != dim2, self, lambda: f"expected two different dimensions; found {dim1} twice")
        side = x.shape[-1] + (0 if literally(offset, 0) else offset if offset >= 0 else -offset)
        rows, cols = sizes or (side, side)
        rest = iter(x.shape[:-1])
        shape = [rows if d == dim1 else cols if d == dim2 else next(rest) for d in range(x.ndim + 1)]
        return [(tuple(shape), x.dtype)]

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        return [None if tangents[0] is None else self(tangents[0], **params)]

    def transpose(
        self, cts: Tangents, inputs: Operands, *, offset: Int, dim1: int, dim2: int, sizes: tuple[Int, ...] = ()
    ) -> Tangents:
        return [p.diagonal(cts[0], offset=offset, dim1=dim1, dim2=dim2)]

    def batch(
        self,
        inputs: Sequence[Var],
        dims: Sequence[int | None],
        size: Int,
        *,
        offset: Int,
        dim1: int,
        dim2: int,
        sizes: tuple[Int, ...] = (),
    ) -> Batched:
        own = {"sizes": sizes} if sizes else {}
        return [self(to_front(inputs[0], dims[0], size), offset=offset, dim1=dim1 + 1, dim2=dim2 + 1, **own)], [0]


pad, concatenate, diag_embed = register(Pad()), register(Concatenate()), register(DiagEmbed())
