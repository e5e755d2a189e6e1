"""Samples of the special functions in SciPy's names."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, binary, mismatched, samples, unary
from rushlight.operators.samples.elementwise.special import scipy_function

BINARY: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "betaln": ((0.3, 4), (0.3, 4)),
    "beta": ((0.3, 4), (0.3, 4)),
    "gammaincinv": ((0.5, 4), (0.1, 0.9)),
    "gammainccinv": ((0.5, 4), (0.1, 0.9)),
    "ellipkinc": ((-1.2, 2), (0.1, 0.8)),
    "ellipeinc": ((-1.2, 2), (0.1, 0.8)),
    "owens_t": ((-3, 3), (-2, 2)),
}
UNARY: dict[str, tuple[float, float]] = {"ellipk": (-2, 0.9), "ellipkm1": (0.1, 3), "ellipe": (-2, 0.9)}


def _binary_samples(name: str, first: tuple[float, float], second: tuple[float, float]) -> None:
    @samples(f"special.{name}", dtypes="float32 float64", reference=scipy_function(name), tolerance=4)
    def _(make: Make) -> Samples:
        yield from binary(make, *first, second)
        yield Sample(make((3, 4), low=first[0], high=first[1]), 0.5)
        yield from mismatched(make)


def _unary_samples(name: str, low: float, high: float) -> None:
    @samples(f"special.{name}", dtypes="float32 float64", reference=scipy_function(name), tolerance=4)
    def _(make: Make) -> Samples:
        yield from unary(make, low, high)
        yield ErrorSample(TypeError, name, "text")


for _name, _ranges in BINARY.items():
    _binary_samples(_name, *_ranges)
for _name, _range in UNARY.items():
    _unary_samples(_name, *_range)


def _triples(make: Make, third: tuple[float, float], low: float = 0.5, high: float = 4) -> Iterator[Sample]:
    for a, b, c in (
        ((3, 4), (3, 4), (3, 4)),
        ((), (), ()),
        ((4,), (3, 1), (2, 1, 1)),
        ((0, 3), (3,), ()),
        ((33,), (33,), (33,)),
    ):
        yield Sample(make(a, low=low, high=high), make(b, low=low, high=high), make(c, low=third[0], high=third[1]))


def _of_shapes(make: Make) -> Iterator[Sample]:
    """The second derivative by a shape does not exist, so gradients are those of the last argument."""
    for s in _triples(make, (0.1, 0.9)):
        a, b, x = s.args
        a._differentiate = b._differentiate = False
        yield Sample(a, b, x)


def _mismatched(make: Make) -> ErrorSample:
    message = "sizes that differ must be 1 in one of the tensors"
    return ErrorSample(RuntimeError, message, make((3,)), make((4,)), make((3,)))


@samples("special.betainc", dtypes="float32 float64", reference=scipy_function("betainc"), tolerance=4)
def _(make: Make) -> Samples:
    yield from _of_shapes(make)
    yield Sample(make((3, 4), low=0.5, high=4, requires_grad=False), 2.0, make((4,), low=0.1, high=0.9))
    for a in (0.0, 0.5, 3.0, float("inf")):  # where a shape is 0 or infinite
        for b in (0.0, 2.0, float("inf")):
            for x in (0.0, 0.3, 1.0) if min(a, b) == 0 or max(a, b) > 9 else ():
                if a != b:
                    given = [make((), low=min(v, 1.0), high=min(v, 1.0), requires_grad=False) for v in (a, b, x)]
                    for t, v in zip(given, (a, b, x), strict=True):
                        t.mul_(v if v > 1 else 1.0)
                    yield Sample(*given)
    yield _mismatched(make)


@samples("special.betaincinv", dtypes="float32 float64", reference=scipy_function("betaincinv"), tolerance=4)
def _(make: Make) -> Samples:
    yield from _of_shapes(make)
    yield _mismatched(make)


@samples("special.voigt_profile", dtypes="float32 float64", reference=scipy_function("voigt_profile"), tolerance=4)
def _(make: Make) -> Samples:
    yield from _triples(make, (0.2, 2))
    yield _mismatched(make)


def _lambertw(np: ModuleType, z: Any, k: int = 0) -> Any:
    import scipy.special

    return np.real(scipy.special.lambertw(z, k))


@samples("special.lambertw", dtypes="float32 float64", reference=_lambertw, tolerance=4)
def _(make: Make) -> Samples:
    yield from unary(make, -0.3, 4)
    yield Sample(make((3, 4), low=-0.33, high=-0.05), -1)
    yield ErrorSample(ValueError, "'k' must be 0 or -1, the real branches; found 2", make((3,)), 2)


def _real_order(name: str, low: float) -> None:
    @samples(f"special.{name}", dtypes="float32 float64", reference=scipy_function(name), tolerance=4)
    def _(make: Make) -> Samples:
        # two derivatives by the order exist: enough for the first and second of gradcheck, in one sample
        yield Sample(make((3,), low=0.2, high=5), make((3,), low=low, high=6))
        for a, b in (((3, 4), (3, 4)), ((), ()), ((4,), (3, 1)), ((2, 3), ()), ((0, 3), (3,)), ((33,), (33,))):
            yield Sample(make(a, low=0, high=5, requires_grad=False), make(b, low=low, high=6))
        yield Sample(2.5, make((3, 4), low=low, high=6))
        yield Sample(3, make((3, 4), low=low, high=6))
        yield ErrorSample(RuntimeError, "sizes that differ must be 1 in one of the tensors", make((3,)), make((4,)))


for _name in ("jv", "yv", "iv", "ive", "kv", "kve"):
    _real_order(_name, 0.5)


def _hypergeometric(name: str, parameters: int, low: float, high: float) -> None:
    """Parameters of 0.5 to 4, mostly without gradients: kernels of all second derivatives take seconds to compile
    (tests/compiler/test_hypergeometric.py).
    """

    @samples(f"special.{name}", dtypes="float32 float64", reference=scipy_function(name), tolerance=4)
    def _(make: Make) -> Samples:
        for shapes in (((3, 4),) * 4, ((),) * 4, ((4,), (3, 1), (1,), (2, 1, 1)), ((0, 3), (3,), (), ()), ((33,),) * 4):
            given = [make(s, low=0.5, high=4, requires_grad=False) for s in shapes[:parameters]]
            yield Sample(*given, make(shapes[3], low=low, high=high))
        yield Sample(*(0.5 + i for i in range(parameters)), make((3, 4), low=low, high=high, noncontiguous=True))
        if name == "hyp1f1":  # two derivatives by the parameters exist: enough for the first and second of gradcheck
            yield Sample(make((2,), low=0.5, high=4), make((2,), low=0.5, high=4), make((2,), low=low, high=high))
        yield ErrorSample(
            RuntimeError,
            "sizes that differ must be 1 in one of the tensors",
            *(make((3,)) for _ in range(parameters)),
            make((4,)),
        )
        yield ErrorSample(TypeError, name, *(make((3,)) for _ in range(parameters)))


_hypergeometric("hyp1f1", 2, -3, 3)
_hypergeometric("hyp2f1", 3, -3, 0.9)
