"""Resampling by routines: images of bytes in integers (`core/native/resample.c`), numbers along a dimension with
filters as wide as the step (`core/native/resample_numbers.c`).
"""

# mypy: disable-error-code="override"
# (the rules name the parameters of their primitive, where the base class says **params)
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core.dtypes import float32, float64, uint8
from rushlight.prims.base import check, full_like, only, p, register, to_front
from rushlight.prims.types import Batched, Operands, ShapeRule, Tangents
from rushlight.program.ir import Primitive, Shape, Var
from rushlight.program.sym import Int


class _Resample(Primitive):
    kind, shape_class = "library", "contraction"
    apart = "a routine makes the weights of a row once for all"

    def in_order_of(self, result: Var) -> Var | None:
        e = result.eqn
        assert e is not None
        return e.inputs[0]


class ResampleBytes(_Resample):
    """resample_bytes(x, *steps; size, reach, antialias, corners): uint8 (N, C, H, W) -> (N, C, *size), first along
    rows, then along columns, each rounded to bytes; weights have 15 bits. steps: how far the source moves down and
    across for one pixel of the result, rank 0, float64; without them the sizes decide that. A dimension that keeps
    its size is left as it is.

    reach: of the filter: 1 a triangle, 2 cubic convolution, 3 Lanczos' (only with antialias). antialias: filters as
    wide as the step. corners: those of source and result lie at the same positions.
    """

    name = "resample_bytes"

    def shape(self, *inputs: Var, size: Shape, reach: int, antialias: bool, corners: bool) -> ShapeRule:
        x, *steps = inputs
        check(x.ndim == 4 and x.dtype is uint8, self, lambda: f"expected bytes (N, C, H, W); found {x}", TypeError)
        check(
            len(steps) in (0, 2) and all(s.ndim == 0 and s.dtype is float64 for s in steps),
            self,
            lambda: f"expected two steps or none, float64 of rank 0; found {steps}",
            TypeError,
        )
        check(len(size) == 2, self, lambda: f"expected two sizes; found {size}")
        check(
            1 <= reach <= 2 + antialias, self, lambda: f"expected a reach of 1, 2 or, with antialias, 3; found {reach}"
        )
        return [((*x.shape[:2], *size), uint8)]

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, **params: object) -> Batched:
        if any(d is not None for d in dims[1:]):
            raise NotImplementedError(f"{self.name}: a batch of steps")
        x = to_front(inputs[0], dims[0], size)
        flat = p.reshape(x, shape=(x.shape[0] * x.shape[1], *x.shape[2:]))
        y = self(flat, *inputs[1:], **params)
        return [p.reshape(y, shape=(*x.shape[:3], *y.shape[2:]))], [0]


class ResampleAlong(_Resample):
    """resample_along(x, step; dim, size, reach, turned): x of float32 or float64 with `size` numbers along a dimension,
    by filters as wide as the step (antialias), whose weights sum up to 1. step: how far the source moves for one
    number of the result, rank 0, of x's dtype.

    reach: of the filter: 1 a triangle, 2 cubic convolution, 3 Lanczos'. turned: the transpose of what resamples `size`
    numbers to as many as x has.
    """

    name, linear = "resample_along", (0,)

    def shape(self, *inputs: Var, dim: int, size: Int, reach: int, turned: bool) -> ShapeRule:
        x, step = inputs
        check(x.dtype in (float32, float64), self, lambda: f"expected float32 or float64; found {x}", TypeError)
        check(1 <= reach <= 3, self, lambda: f"expected a reach of 1, 2 or 3; found {reach}")
        check(0 <= dim < x.ndim, self, lambda: f"expected a dimension of {x}; found {dim}")
        check(
            step.ndim == 0 and step.dtype is x.dtype,
            self,
            lambda: f"expected a step of rank 0 and of the dtype of {x}; found {step}",
            TypeError,
        )
        return [((*x.shape[:dim], size, *x.shape[dim + 1 :]), x.dtype)]

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        if tangents[0] is None:
            return [full_like(outputs[0], 0)]
        return [self(tangents[0], inputs[1], **params)]

    def transpose(self, cts: Tangents, inputs: Operands, *, dim: int, size: Int, reach: int, turned: bool) -> Tangents:
        n = inputs[0].shape[dim]
        return [self(only(cts), inputs[1], dim=dim, size=n, reach=reach, turned=not turned), None]

    def batch(
        self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, *, dim: int, **params: Any
    ) -> Batched:
        if dims[1] is not None:
            raise NotImplementedError(f"{self.name}: a batch of steps")
        return [self(to_front(inputs[0], dims[0], size), inputs[1], dim=dim + 1, **params)], [0]


resample_along, resample_bytes = register(ResampleAlong()), register(ResampleBytes())
