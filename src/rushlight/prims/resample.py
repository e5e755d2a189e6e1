"""Images of bytes resampled in integers, by a routine (`core/native/resample.c`)."""

# mypy: disable-error-code="override"
# (the rules name the parameters of their primitive, where the base class says **params)
from __future__ import annotations

from collections.abc import Sequence

from rushlight.core.dtypes import float64, uint8
from rushlight.prims.base import check, p, register, to_front
from rushlight.prims.types import Batched, ShapeRule
from rushlight.program.ir import Primitive, Shape, Var
from rushlight.program.sym import Int


class ResampleBytes(Primitive):
    """resample_bytes(x, down, across; size, cubic, antialias, corners): uint8 (N, C, H, W) -> (N, C, *size), first
    along rows, then along columns, each rounded to bytes; weights have 15 bits. down, across: how far the source moves
    for one pixel of the result, rank 0, float64. A dimension that keeps its size is left as it is.

    cubic: cubic convolution in place of triangles. antialias: filters as wide as the step. corners: those of source and
    result lie at the same positions.
    """

    name, kind, shape_class = "resample_bytes", "library", "contraction"

    def shape(self, *inputs: Var, size: Shape, cubic: bool, antialias: bool, corners: bool) -> ShapeRule:
        x, *steps = inputs
        check(x.ndim == 4 and x.dtype is uint8, self, lambda: f"expected bytes (N, C, H, W); found {x}", TypeError)
        check(
            len(steps) == 2 and all(s.ndim == 0 and s.dtype is float64 for s in steps),
            self,
            lambda: f"expected two steps, float64 of rank 0; found {steps}",
            TypeError,
        )
        check(len(size) == 2, self, lambda: f"expected two sizes; found {size}")
        return [((*x.shape[:2], *size), uint8)]

    def in_order_of(self, result: Var) -> Var | None:
        e = result.eqn
        assert e is not None
        return e.inputs[0]

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, **params: object) -> Batched:
        if any(d is not None for d in dims[1:]):
            raise NotImplementedError(f"{self.name}: a batch of steps")
        x = to_front(inputs[0], dims[0], size)
        flat = p.reshape(x, shape=(x.shape[0] * x.shape[1], *x.shape[2:]))
        y = self(flat, *inputs[1:], **params)
        return [p.reshape(y, shape=(*x.shape[:3], *y.shape[2:]))], [0]


resample_bytes = register(ResampleBytes())
