"""Sources: values made from nothing but parameters (and, for random bits, a seed)."""

# mypy: disable-error-code="override"
# (the rules name the parameters of their primitive, where the base class says **params)
from __future__ import annotations

from typing import Any

from rushlight.core.dtypes import dtype, uint32, uint64
from rushlight.prims.base import check, check_dim, register
from rushlight.prims.types import Batched, ShapeRule, Tangents
from rushlight.program.costs import RANDOM
from rushlight.program.ir import Primitive, Shape, Var
from rushlight.program.sym import Int, Sym


class Constant(Primitive):
    """constant(; value, dtype): one number, rank 0; `value` may be a size (a Sym), known at launch.

    A dtype for storage has few numbers. A number that it lacks (infinity, pi / 180) belongs to a formula that is not
    meant for this dtype, so it is refused. Where a dtype has no zero, 0 stands for its least number.
    """

    name, kind, orderless = "constant", "source", True

    def shape(self, *inputs: Var, value: complex, dtype: dtype) -> ShapeRule:
        check(
            isinstance(value, (bool, int, float, complex, Sym)),
            self,
            lambda: f"expected a Python number; found {type(value).__name__}",
            TypeError,
        )
        check(
            dtype.format is None or not isinstance(value, float) or value != value or dtype.format.holds(value),
            self,
            lambda: f"not defined for {dtype.name}",
            NotImplementedError,
        )
        return [((), dtype)]


class Iota(Primitive):
    """iota(; shape, dim, dtype): the index along `dim`."""

    name, kind = "iota", "source"

    def shape(self, *inputs: Var, shape: Shape, dim: int, dtype: dtype) -> ShapeRule:
        check(dtype.format is None, self, lambda: f"not defined for {dtype.name}", NotImplementedError)
        check_dim(self, dim, len(shape))
        return [(tuple(shape), dtype)]


class RandomBits(Primitive):
    """random_bits(seed, offset; shape, dtype): independent uniform bits from a counter-based generator.

    Element i (row-major) depends on (seed, offset + i) alone. Philox4x32-10 (Salmon et al., "Parallel random numbers:
    as easy as 1, 2, 3", SC 2011), key = the two halves of seed, counter = (offset + i as 64 bits, 0, 0); uint32 is the
    first word of the result, uint64 the first two (first one low).
    """

    name, kind, shape_class, cost = "random_bits", "source", "random", RANDOM

    def shape(self, *inputs: Var, shape: Shape, dtype: dtype) -> ShapeRule:
        check(
            len(inputs) == 2 and all(v.ndim == 0 for v in inputs),
            self,
            lambda: f"expected two scalars, seed and offset; found {inputs}",
        )
        check(
            all(v.dtype.kind in "iu" for v in inputs),
            self,
            f"expected integer seed and offset; found {inputs}",
            TypeError,
        )
        check(
            dtype in (uint32, uint64), self, lambda: f"expected dtype uint32 or uint64; found {dtype.name}", TypeError
        )
        return [(tuple(shape), dtype)]

    def jvp(self, inputs: Any, outputs: Any, tangents: Tangents, **params: Any) -> Tangents:
        return [None]

    def batch(self, inputs: Any, dims: Any, size: Int, /, **params: Any) -> Batched:
        raise NotImplementedError(
            "random_bits: a seed of its own for every example of a batch is not supported; draw with the batch in "
            "the shape"
        )


constant, iota, random_bits = register(Constant()), register(Iota()), register(RandomBits())
