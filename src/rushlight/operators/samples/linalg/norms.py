"""Samples of norms."""

from __future__ import annotations

import math

from rushlight.operators.samples._matrices import apart
from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples

_DTYPES = "float32 float64 complex"


@samples("linalg.matrix_norm", dtypes=_DTYPES, tolerance=20.0)
def _matrix_norm(make: Make) -> Samples:
    for order in ("fro", "nuc", 2, -2, 1, -1, math.inf, -math.inf):
        yield Sample(apart(make, 4, 3), order)
    yield Sample(apart(make, 2, 3, 4), 2, keepdim=True)
    yield Sample(make((3, 2, 4)), 1, dim=(0, 2))
    yield Sample(make((0, 3)), "nuc")
    yield ErrorSample(
        RuntimeError, "'ord' must be one of 'fro', 'nuc', 2, -2, 1, -1, inf, -inf; found 3", make((2, 2)), 3
    )
    yield ErrorSample(RuntimeError, r"'dim' must name each dimension once; found \[0, 0\]", make((2, 2)), dim=(0, 0))
    yield ErrorSample(IndexError, "the least of no numbers", make((0, 0)), -1)


@samples(
    "linalg.norm",
    dtypes=_DTYPES,
    tolerance=20.0,
    reference=lambda np, a, ord=None, dim=None, keepdim=False: np.linalg.norm(a, ord, dim, keepdim),
)
def _norm(make: Make) -> Samples:
    yield Sample(make((3, 4)))
    yield Sample(make((5,)), 3)
    yield Sample(apart(make, 3, 4), "nuc")
    yield Sample(make((2, 3, 4)), 2, dim=1)
    yield Sample(make((2, 3, 4)), "fro", dim=(0, 2), keepdim=True)
    yield Sample(make((5,)), math.inf)
    yield ErrorSample(
        RuntimeError,
        r"'dim' must be 1 or 2 dimensions where 'ord' is given; found \[0, 1, 2\]",
        make((2, 2, 2)),
        2.0,
        dim=(0, 1, 2),
    )
    yield ErrorSample(
        RuntimeError,
        "'dim' must be given with 'ord', unless A is a vector or a matrix; found a 3-d tensor",
        make((2, 2, 2)),
        2.0,
    )


@samples("nuclear_norm", dtypes=_DTYPES, tolerance=20.0)
def _nuclear_norm(make: Make) -> Samples:
    yield Sample(apart(make, 4, 3))
    yield Sample(make((2, 3, 4)), (0, 2))
    yield ErrorSample(
        RuntimeError, "'dim' must be given, unless the tensor is a matrix; found a 1-d tensor", make((2,))
    )


@samples("norm_except_dim", dtypes="float32 float64")
def _norm_except_dim(make: Make) -> Samples:
    for dim in (0, 1, 2, -1):
        yield Sample(make((3, 4, 2)), 2, dim)
    yield Sample(make((3, 4)), 3, 1)
    yield ErrorSample(IndexError, r"'dim' must be in \[-1, 1\] for a 2-d tensor; found 2", make((3, 4)), 2, 2)


@samples("frobenius_norm", dtypes="float32 float64")
def _frobenius_norm(make: Make) -> Samples:
    yield Sample(make((3, 4)), [0, 1])
    yield Sample(make((2, 3, 4)), [1], True)
    yield Sample(make((3, 4)), [])
