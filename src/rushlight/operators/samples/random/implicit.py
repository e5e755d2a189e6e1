"""Samples of the slopes of random numbers by their parameters."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, mismatched, samples


def _slope(f: Callable[[Any], Any], a: Any) -> Any:
    """The derivative by differences of sixth order, good to some 1e-12."""
    h = 1e-2 * a
    return sum(w * (f(a + k * h) - f(a - k * h)) for k, w in ((1, 0.75), (2, -0.15), (3, 1 / 60))) / h


def _gamma_slope(np: ModuleType, a: Any, x: Any) -> Any:
    from scipy import special, stats

    a, x = np.asarray(a, "float64"), np.asarray(x, "float64")
    return -_slope(lambda v: special.gammainc(v, x), a) / stats.gamma.pdf(x, a)


def _dirichlet_slope(np: ModuleType, x: Any, alpha: Any, total: Any) -> Any:
    from scipy import special, stats

    x, a, total = (np.asarray(v, "float64") for v in (x, alpha, total))
    return -_slope(lambda v: special.betainc(v, total - a, x), a) / stats.beta.pdf(x, a, total - a) / (1 - x)


@samples(
    "_standard_gamma_grad",
    dtypes="float32 float64",
    reference=_gamma_slope,
    tolerance=1e4,
    skip={"gradgradcheck": "the third derivative of the incomplete gamma function by its shape does not exist"},
)
def _(make: Make) -> Samples:
    for a, x in (((3, 4), (3, 4)), ((), ()), ((4,), (3, 1)), ((0, 3), (3,)), ((33,), (33,))):
        yield Sample(make(a, low=0.5, high=4), make(x, low=0.3, high=5))
    yield from mismatched(make)
    yield ErrorSample(NotImplementedError, "floating point", make((2,)).long(), make((2,)))


# The second derivative of the incomplete beta function by a shape does not exist, so gradients are those of x.
@samples("_dirichlet_grad", dtypes="float32 float64", reference=_dirichlet_slope, tolerance=1e4)
def _(make: Make) -> Samples:
    for shape in ((3, 4), (4,), (0, 3)):
        x, alpha, total = make(shape, low=0.1, high=0.9), make(shape, low=0.5, high=3), make(shape, low=4, high=7)
        alpha._differentiate = total._differentiate = False
        yield Sample(x, alpha, total)
    yield ErrorSample(
        RuntimeError, "sizes that differ must be 1 in one of the tensors", make((3,)), make((4,)), make((3,))
    )
