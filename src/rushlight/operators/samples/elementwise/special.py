"""Samples of the special functions."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, binary, mismatched, samples, unary

FLOATS = "float int bool"


def scipy_function(name: str) -> Any:
    """SciPy's function of a name, as a reference; integers as float64."""

    def reference(np: ModuleType, *args: Any) -> Any:
        import scipy.special

        return getattr(scipy.special, name)(
            *[
                np.asarray(a, np.result_type(a, np.float32) if np.asarray(a).dtype.kind == "f" else np.float64)
                for a in args
            ]
        )

    return reference


# name -> (range of the arguments, SciPy's function or None)
UNARY: dict[str, tuple[tuple[float, float], str | None]] = {
    "special.entr": ((0.1, 3), "entr"),
    "special.erfcx": ((-2, 3), "erfcx"),
    "special.ndtr": ((-3, 3), "ndtr"),
    "special.log_ndtr": ((-6, 3), "log_ndtr"),
    "i0": ((-4, 4), "i0"),
    "special.i0e": ((-9, 9), "i0e"),
    "special.i1": ((-4, 4), "i1"),
    "special.i1e": ((-9, 9), "i1e"),
    "special.modified_bessel_i0": ((-4, 4), "i0"),
    "special.modified_bessel_i1": ((-4, 4), "i1"),
    "special.modified_bessel_k0": ((0.5, 4), "k0"),
    "special.modified_bessel_k1": ((0.5, 4), "k1"),
    "special.scaled_modified_bessel_k0": ((0.5, 9), "k0e"),
    "special.scaled_modified_bessel_k1": ((0.5, 9), "k1e"),
    "special.bessel_j0": ((-3, 3), "j0"),
    "special.bessel_j1": ((-3, 3), "j1"),
    "special.bessel_y0": ((0.5, 3), "y0"),
    "special.bessel_y1": ((0.5, 3), "y1"),
    "special.airy_ai": ((-3, 3), None),
    "special.spherical_bessel_j0": ((-3, 3), None),
}


def _unary_samples(name: str, low: float, high: float, reference: str | None, dtypes: str) -> None:
    @samples(
        name,
        dtypes=dtypes,
        reference=None if reference is None else scipy_function(reference),
        skip={"dtypes": "small integers lie on singular points"},
    )
    def _(make: Make) -> Samples:
        import rushlight

        yield from unary(make, low, high)
        yield ErrorSample(
            NotImplementedError, r"not defined for dtype torch\.complex64", make((3,), dtype=rushlight.complex64)
        )


for _name, ((_low, _high), _reference) in UNARY.items():
    _unary_samples(_name, _low, _high, _reference, "float" if _low > 0 else FLOATS)


@samples("special.ndtri", dtypes="float", reference=scipy_function("ndtri"))
def _(make: Make) -> Samples:
    yield from unary(make, 0.05, 0.95)
    yield ErrorSample(TypeError, "special.ndtri|ndtri", "text")


@samples("special.xlog1py", dtypes="float", reference=scipy_function("xlog1py"))
def _(make: Make) -> Samples:
    yield from binary(make, -0.5, 3)
    yield Sample(make((3, 4)), 2.5)
    yield Sample(1.5, make((3, 4), low=0.5, high=3))
    yield from mismatched(make)


@samples("igamma", dtypes="float32 float64", reference=scipy_function("gammainc"), tolerance=2)
def _(make: Make) -> Samples:
    yield from binary(make, 0.5, 4)
    yield from mismatched(make)


@samples("igammac", dtypes="float32 float64", reference=scipy_function("gammaincc"), tolerance=2)
def _(make: Make) -> Samples:
    yield from binary(make, 0.5, 4)
    yield from mismatched(make)


@samples("special.zeta", dtypes="float32 float64", reference=scipy_function("zeta"), tolerance=2)
def _(make: Make) -> Samples:
    yield from binary(make, 1.5, 6, (0.5, 4))
    yield Sample(make((3, 4), low=1.5, high=6), 1.0)
    yield Sample(2.0, make((3, 4), low=0.5, high=4))
    yield from mismatched(make)


def _polynomial_samples(name: str, reference: str | None) -> None:
    def of(np: ModuleType, x: Any, n: Any) -> Any:
        import scipy.special

        assert reference is not None
        n = np.asarray(n, np.int64)
        return np.where(n < 0, 0, getattr(scipy.special, reference)(n, x))

    @samples(f"special.{name}", dtypes="float32 float64", reference=of if reference else None)
    def _(make: Make) -> Samples:
        for n in (0, 1, 2, 5, 9):
            yield Sample(make((3, 4), low=-1, high=1), n)
        for a, b in (((3, 4), (3, 4)), ((), ()), ((4,), (3, 1)), ((2, 3), ()), ((0, 3), (3,)), ((33,), (33,))):
            yield Sample(make(a, low=-1, high=1), make.index(b, 7))
        yield Sample(0.5, make.index((3, 4), 7).to(make.dtype))
        yield ErrorSample(RuntimeError, "sizes that differ must be 1 in one of the tensors", make((3,)), make((4,)))


for _name, _reference in {
    "chebyshev_polynomial_t": "eval_chebyt",
    "chebyshev_polynomial_u": "eval_chebyu",
    "chebyshev_polynomial_v": None,
    "chebyshev_polynomial_w": None,
    "shifted_chebyshev_polynomial_t": "eval_sh_chebyt",
    "shifted_chebyshev_polynomial_u": "eval_sh_chebyu",
    "shifted_chebyshev_polynomial_v": None,
    "shifted_chebyshev_polynomial_w": None,
    "hermite_polynomial_h": "eval_hermite",
    "hermite_polynomial_he": "eval_hermitenorm",
    "laguerre_polynomial_l": "eval_laguerre",
    "legendre_polynomial_p": "eval_legendre",
}.items():
    _polynomial_samples(_name, _reference)
