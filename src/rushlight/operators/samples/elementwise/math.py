"""Samples of operators/elementwise/math.py."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, binary, mismatched, samples, unary

# Elementwise functions of one tensor: name, dtypes, range of the samples, name in NumPy or scipy.special ("sp.").
_UNARY: tuple[tuple[str, str, float | None, float | None, str], ...] = (
    ("exp", "all", None, None, "exp"),
    ("exp2", "all", None, None, "exp2"),
    ("expm1", "all", None, None, "expm1"),
    ("log", "all", 0.1, 5, "log"),
    ("log2", "all", 0.1, 5, "log2"),
    ("log10", "all", 0.1, 5, "log10"),
    ("log1p", "all", -0.5, 5, "log1p"),
    ("sqrt", "all", 0.1, 5, "sqrt"),
    ("sin", "all", None, None, "sin"),
    ("cos", "all", None, None, "cos"),
    ("tan", "all", -1.2, 1.2, "tan"),
    ("asin", "all", -0.9, 0.9, "arcsin"),
    ("acos", "all", -0.9, 0.9, "arccos"),
    ("atan", "all", -0.9, 0.9, "arctan"),
    ("sinh", "all", None, None, "sinh"),
    ("cosh", "all", None, None, "cosh"),
    ("tanh", "all", None, None, "tanh"),
    ("asinh", "all", None, None, "arcsinh"),
    ("acosh", "all", 1.1, 4, "arccosh"),
    ("atanh", "all", -0.9, 0.9, "arctanh"),
    ("sigmoid", "all", None, None, ""),
    ("erf", "float int bool", None, None, "sp.erf"),
    ("erfc", "float int bool", None, None, "sp.erfc"),
    ("erfinv", "float int bool", -0.9, 0.9, "sp.erfinv"),
    ("lgamma", "float int bool", 0.2, 6, "sp.gammaln"),
    ("digamma", "float int bool", 0.2, 6, "sp.digamma"),
    ("floor", "float int", None, None, "floor"),
    ("ceil", "float int", None, None, "ceil"),
    ("trunc", "float int", None, None, "trunc"),
    ("sign", "float int bool", None, None, ""),
    ("abs", "float complex int", None, None, "abs"),
    ("deg2rad", "float int bool", -90, 120, "deg2rad"),
    ("rad2deg", "float int bool", None, None, "rad2deg"),
    ("sinc", "float complex int bool", None, None, "sinc"),
)
# NumPy computes bools and small integers in float16 and knows no bool for some: those go through float64.
_AS_FLOAT = frozenset({"floor", "ceil", "trunc", "abs"})


def _numpy(name: str, np_name: str) -> Callable[..., Any] | None:
    if not np_name:
        return None

    def call(np: ModuleType, x: Any) -> Any:
        if np_name.startswith("sp."):
            import scipy.special

            f = getattr(scipy.special, np_name[3:])
        else:
            f = getattr(np, np_name)
        x = np.asarray(x)
        return f(x if x.dtype.kind == "c" or (name in _AS_FLOAT and x.dtype.kind != "b") else x.astype(np.float64))

    return call


def _register(name: str, dtypes: str, low: float | None, high: float | None, np_name: str) -> None:
    @samples(name, dtypes=dtypes, reference=_numpy(name, np_name))
    def _(make: Make) -> Samples:
        yield from unary(make, low, high)
        yield ErrorSample(TypeError, name, "text")
        yield ErrorSample(TypeError, rf"{name}\(\).*missing")


for _row in _UNARY:
    _register(*_row)


def _poles(make: Make) -> Iterator[Sample]:
    # Nothing near 0, where these have their pole; bools and integers have no other choice than 1.
    yield from unary(make, 0.3, 4)
    if make.dtype.kind not in "ub":
        yield from unary(make, -4, -1)


@samples(
    "rsqrt",
    dtypes="all",
    reference=lambda np, x: 1 / np.sqrt(x if np.asarray(x).dtype.kind == "c" else np.asarray(x, np.float64)),
)
def _(make: Make) -> Samples:
    yield from unary(make, 1 if make.dtype.kind in "iu" else 0.2, 5)


samples(
    "reciprocal",
    dtypes="all",
    reference=lambda np, x: 1 / (x if np.asarray(x).dtype.kind == "c" else np.asarray(x, np.float64)),
)(_poles)


@samples("round", dtypes="float int", reference=lambda np, x, decimals=0: np.round(x, decimals))
def _(make: Make) -> Samples:
    yield from unary(make)
    if make.dtype.kind == "f":
        yield Sample(make((3, 4), low=-1, high=1), decimals=1)
        yield Sample(make((3, 4), low=-30, high=30), decimals=-1)
    else:
        yield ErrorSample(RuntimeError, "decimals", make((3,)), decimals=2)


@samples("frac", dtypes="float", reference=lambda np, x: x - np.trunc(x))
def _(make: Make) -> Samples:
    yield from unary(make)
    import rushlight

    yield ErrorSample((NotImplementedError, RuntimeError), "frac", rushlight.tensor([1, 2]))


samples("sgn", dtypes="all", reference=lambda np, x: x if np.asarray(x).dtype.kind == "b" else np.sign(x))(unary)
samples(
    "square",
    dtypes="all",
    reference=lambda np, x: (
        np.asarray(x).astype(np.int64 if np.asarray(x).dtype.kind == "b" else np.asarray(x).dtype) ** 2
    ),
)(unary)


@samples("positive", dtypes="float complex int", reference=lambda np, x: x)
def _(make: Make) -> Samples:
    yield from unary(make)
    import rushlight

    yield ErrorSample(RuntimeError, "bool", rushlight.tensor([True]))


def _pow(np: ModuleType, x: Any, y: Any) -> Any:
    return np.power(x, y)


@samples("pow", dtypes="float complex int", reference=_pow)
def _(make: Make) -> Samples:
    whole = make.dtype.kind in "iu"
    yield from binary(make, 1 if whole else 0.3, 3, (0 if whole else -2, 3))
    for n in (0, 1, 2, 3, 4):
        yield Sample(make((3, 4), low=1, high=2), n)
    yield Sample(2, make((3, 4), low=0, high=3))
    if not whole:
        for p in (0.5, -0.5, -1.0, -2.0, 1.7, -3):
            yield Sample(make((3, 4), low=0.3, high=3), p)
        yield Sample(1.7, make((2, 3, 4)))
    yield ErrorSample(RuntimeError, "'exponent' must be at least 0 for integers", make((3,), dtype=dt.int64), -7)
    yield ErrorSample(
        RuntimeError, "'exponent' must be at least 0 for integers; found -1", make((3,), dtype=dt.int64), -1
    )
    yield from mismatched(make)


@samples("float_power", dtypes="all", reference=lambda np, x, y: np.float_power(x, y))
def _(make: Make) -> Samples:
    whole = make.dtype.kind in "iu"
    yield from binary(make, 1 if whole else 0.3, 3, (0 if whole else -2, 3))
    yield Sample(make((3, 4), low=1, high=2), 2)
    yield Sample(2.0, make((3, 4), low=1, high=2))
    yield from mismatched(make)


def _in_float64(name: str) -> Callable[..., Any]:
    """NumPy's function of two arrays, computed in float64."""
    return lambda np, *arrays: getattr(np, name)(*(np.asarray(x, np.float64) for x in arrays))


@samples("atan2", dtypes="float int bool", reference=_in_float64("arctan2"))
def _(make: Make) -> Samples:
    yield from binary(make)
    yield from mismatched(make)


@samples("hypot", dtypes="float", reference=lambda np, x, y: np.hypot(x, y))
def _(make: Make) -> Samples:
    yield from binary(make)
    yield from mismatched(make)


def _log_add_exp(np: ModuleType, x: Any, y: Any) -> Any:
    if not np.iscomplexobj(x):
        return np.logaddexp(x, y)
    first = np.real(x) >= np.real(y)
    high, low = np.where(first, x, y), np.where(first, y, x)
    return high + np.log(1 + np.exp(low - high))


@samples("logaddexp", dtypes="float complex", reference=_log_add_exp)
def _(make: Make) -> Samples:
    yield from binary(make, -30, 30)
    yield from mismatched(make)


@samples("logaddexp2", dtypes="float", reference=lambda np, x, y: np.logaddexp2(x, y))
def _(make: Make) -> Samples:
    yield from binary(make, -30, 30)
    yield from mismatched(make)


@samples("logit", dtypes="float int bool", skip={"dtypes": "0 and 1, the only integers of the domain, give infinities"})
def _(make: Make) -> Samples:
    yield from unary(make, 0.1, 0.9)
    if make.dtype.kind == "f":
        yield Sample(make((3, 4), low=0.1, high=0.9), 0.2)
        yield Sample(make((3, 4), low=0.1, high=0.9), eps=1e-3)
        yield Sample(make((3, 4), low=0.1, high=0.9), 0.7)


def _scalar(make: Make) -> Any:
    return 2 if make.dtype.kind in "iu" else complex(0.5, 0.25) if make.dtype.kind == "c" else 0.5


@samples("addcmul", dtypes="float complex int", reference=lambda np, x, a, b, value=1: x + value * a * b)
def _(make: Make) -> Samples:
    yield Sample(make(()), make(()), make(()))
    yield Sample(make((3, 4)), make((3, 4)), make((3, 4)))
    yield Sample(make((3, 4)), make((4,)), make((3, 1)), value=_scalar(make))
    yield Sample(make((4,)), make((2, 1, 4)), make((3, 1)), value=2)
    yield Sample(make((0, 3)), make((3,)), make((0, 1)))
    yield ErrorSample(
        RuntimeError, "sizes that differ must be 1 in one of the tensors", make((3,)), make((4,)), make((3,))
    )


@samples("addcdiv", dtypes="float complex", reference=lambda np, x, a, b, value=1: x + value * a / b)
def _(make: Make) -> Samples:
    yield Sample(make(()), make(()), make((), low=1, high=3))
    yield Sample(make((3, 4)), make((3, 4)), make((3, 4), low=1, high=3))
    yield Sample(make((3, 4)), make((4,)), make((3, 1), low=1, high=3), value=_scalar(make))
    yield Sample(make((4,)), make((2, 1, 4)), make((3, 1), low=-3, high=-1), value=2)
    yield Sample(make((0, 3)), make((3,)), make((0, 1)))
    import rushlight

    n = rushlight.tensor([1, 2, 3])
    yield ErrorSample(RuntimeError, "a quotient is no integer", n, n, n)


@samples("lerp", dtypes="float complex", reference=lambda np, x, y, w: x + w * (y - x))
def _(make: Make) -> Samples:
    for a, b, w in (
        ((), (), ()),
        ((3, 4), (3, 4), (3, 4)),
        ((3, 4), (4,), (3, 1)),
        ((2, 1, 4), (3, 1), ()),
        ((0, 3), (3,), (3,)),
    ):
        yield Sample(make(a), make(b), make(w, low=0, high=1))
    for number in (0.25, 0.75, -1.0, 0, 1):
        yield Sample(make((3, 4)), make((3, 4)), number)
    import rushlight

    yield ErrorSample(
        RuntimeError,
        r"'end' must be of the dtype of 'input', torch\.float32; found torch\.float64",
        make((3,), dtype=rushlight.float32),
        make((3,), dtype=rushlight.float64),
        0.5,
    )


@samples("ldexp", dtypes="float64 float32 float16 bfloat16 int64 int32", reference=lambda np, x, e: x * 2.0**e)
def _(make: Make) -> Samples:
    yield Sample(make((3, 4)), make.index((3, 4), 5))
    yield Sample(make(()), make.index((4,), 5))
    yield Sample(make((2, 3)), make((3,)))
    yield Sample(make((0, 3)), make.index((3,), 5))


@samples("copysign", dtypes="float int bool", reference=_in_float64("copysign"))
def _(make: Make) -> Samples:
    yield from binary(make)
    yield Sample(make((3, 4)), -1.0)
    yield Sample(make((3, 4)), -0.0)
    yield from mismatched(make)


@samples("nextafter", dtypes="float32 float64", reference=lambda np, x, y: np.nextafter(x, y))
def _(make: Make) -> Samples:
    yield from binary(make)
    yield from mismatched(make)


@samples(
    "nan_to_num",
    dtypes="all",
    reference=lambda np, x, nan=None, posinf=None, neginf=None: np.nan_to_num(
        x, nan=nan or 0.0, posinf=posinf, neginf=neginf
    ),
)
def _(make: Make) -> Samples:
    import rushlight

    yield from unary(make)
    if make.dtype.kind == "f":
        odd = rushlight.tensor([math.nan, math.inf, -math.inf, 1.0, -0.0], dtype=make.dtype)
        yield Sample(odd)
        yield Sample(odd, 1.0, 2.0, -3.0)
        yield Sample(odd, nan=2.0, neginf=0.0)


@samples("xlogy", dtypes="float int bool", skip={"dtypes": "integers give infinities"})
def _(make: Make) -> Samples:
    yield from binary(make, 0.25, 3)
    yield Sample(make((3, 4)), 2.5)
    yield Sample(1.5, make((3, 4), low=0.5, high=3))
    yield from mismatched(make)


@samples("frexp", dtypes="float32 float64")
def _(make: Make) -> Samples:
    yield from unary(make)
    import rushlight

    yield Sample(rushlight.tensor([0.0, -0.0, math.inf, -math.inf, 1e-40, 0.5, 1.0, 3e38], dtype=make.dtype))
    yield ErrorSample(NotImplementedError, r"not defined for dtype torch\.int64", make((3,), dtype=rushlight.int64))


@samples("mvlgamma", dtypes="float32 float64", tolerance=4)
def _(make: Make) -> Samples:
    for p in (1, 2, 4):
        yield Sample(make((3, 4), low=2, high=6), p)
    yield Sample(make((3, 2), low=9, high=12), 17)
    yield Sample(make(()).abs() + 3, 3)
    yield Sample(make((0, 3)), 2)
    yield ErrorSample(RuntimeError, "'p' must be at least 1; found 0", make((3,)), 0)
    yield ErrorSample(RuntimeError, r"'p' must be less than 2\*\*31; found 4611686018427387904", make((3,)), 2**62)


@samples(
    "polygamma",
    dtypes="float32 float64",
    tolerance=20,
    skip={"inplace": "the tensor is the second argument of the function"},
)
def _(make: Make) -> Samples:
    for n in (0, 1, 2, 4):
        yield Sample(n, make((3, 4), low=0.5, high=4))
    yield Sample(1, make(()))
    yield Sample(1, make((0, 3)))
    yield ErrorSample(RuntimeError, "'n' must be at least 0 and at most 163; found -1", -1, make((3,)))
    yield ErrorSample(RuntimeError, "'n' must be at least 0 and at most 163; found 164", 164, make((3,)))
