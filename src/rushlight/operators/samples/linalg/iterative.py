"""Samples of eigenpairs by iteration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.operators.samples._matrices import hermitian
from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples

_ITERATES = "iterates until the values converge"


def _without_phases(op: Any) -> Callable[..., Any]:
    def values_and_sizes(a: Any, *rest: Any, **options: Any) -> Any:
        e, v = op((a + a.mH) / 2, *rest, **options)
        return e, v.abs() ** 2

    return values_and_sizes


def _start(make: Make, *shape: int) -> Any:
    start = make(shape)
    return start.detach()


@samples(
    "lobpcg",
    dtypes="float32 float64 complex",
    tolerance=1e4,
    through=_without_phases,
    skip={
        "meta": _ITERATES,
        "vmap": _ITERATES,
        "empty": "an empty matrix has no eigenpairs to find",
        "unfused": _ITERATES,
    },
)
def _lobpcg(make: Make) -> Samples:
    exact: dict[str, Any] = {"niter": 300, "tol": 1e-12 if make.dtype.name in ("float64", "complex128") else 1e-6}
    yield Sample(hermitian(make, 7, 7), 1, **exact)
    yield Sample(hermitian(make, 2, 9, 9), 2, **exact)
    yield Sample(hermitian(make, 9, 9), 2, largest=False, **exact)
    yield Sample(hermitian(make, 8, 8), 1, n=2, method="basic", **exact)
    a = hermitian(make, 6, 6)
    yield ErrorSample(ValueError, "at least 3 rows for each of the 3 columns", a, 3)
    yield ErrorSample(ValueError, r"'k' must be in \[1, 2\]", hermitian(make, 7, 7), 3, n=2)
    yield ErrorSample(ValueError, "'method' must be 'basic' or 'ortho'; found 'other'", a, 1, method="other")
    yield ErrorSample(ValueError, "'niter' must be at least 0", a, 1, niter=-2)
    yield ErrorSample(RuntimeError, "lobpcg: the matrices of A must be square; found 2 x 3", make((2, 3)))
    yield ErrorSample(RuntimeError, "X must have as many rows as A, 6; found 5", a, X=_start(make, 5, 1))
