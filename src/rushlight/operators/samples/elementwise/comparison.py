"""Samples of operators/elementwise/comparison.py."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, binary, mismatched, samples, unary


def _odd(make: Make) -> Any:
    """Zeros of both signs, infinities and NaN."""
    import rushlight

    return rushlight.tensor([math.nan, math.inf, -math.inf, 0.0, -0.0, 1.5], dtype=make.dtype)


def _comparison(name: str, np_name: str, dtypes: str) -> None:
    @samples(name, dtypes=dtypes, grad=False, reference=lambda np, a, b: getattr(np, np_name)(a, b))
    def _(make: Make) -> Samples:
        yield from binary(make)
        if make.dtype.kind in "iuf":
            yield Sample(make((3, 4)), 1)
            yield Sample(make((3, 4)), 0.5)
        a = make((7,))
        yield Sample(a, a)
        if make.dtype.kind == "f":
            yield Sample(_odd(make), _odd(make))
            yield Sample(_odd(make), 0.0)
        yield from mismatched(make)
        if dtypes != "all":
            import rushlight

            z = make((2,), dtype=rushlight.complex64)
            yield ErrorSample((RuntimeError, NotImplementedError), name, z, z)


for _n, _np, _d in (
    ("eq", "equal", "all"),
    ("ne", "not_equal", "all"),
    ("lt", "less", "float int bool"),
    ("le", "less_equal", "float int bool"),
    ("gt", "greater", "float int bool"),
    ("ge", "greater_equal", "float int bool"),
):
    _comparison(_n, _np, _d)


def _predicate(name: str, dtypes: str, reference: Callable[..., Any]) -> None:
    @samples(name, dtypes=dtypes, grad=False, reference=reference)
    def _(make: Make) -> Samples:
        yield from unary(make)
        if make.dtype.kind == "f":
            yield Sample(_odd(make))
        yield ErrorSample(TypeError, name, 1.0)


_predicate("isnan", "all", lambda np, x: np.isnan(x))
_predicate("isinf", "all", lambda np, x: np.isinf(x))
_predicate("isfinite", "all", lambda np, x: np.isfinite(x))
_predicate("isposinf", "float int bool", lambda np, x: np.isposinf(x))
_predicate("isneginf", "float int bool", lambda np, x: np.isneginf(np.asarray(x, np.float64)))
_predicate("isreal", "all", lambda np, x: np.isreal(x))
_predicate("signbit", "float int bool", lambda np, x: np.signbit(np.asarray(x, np.float64)))


@samples(
    "isclose",
    dtypes="all",
    grad=False,
    skip={"dtypes": "rounding of the inputs is beyond the default tolerance"},
    reference=lambda np, a, b, rtol=1e-05, atol=1e-08, equal_nan=False: np.isclose(a, b, rtol, atol, equal_nan),
)
def _(make: Make) -> Samples:
    yield from binary(make)
    a = make((4, 3))
    yield Sample(a, a)
    yield Sample(make((3, 4)), make((3, 4)), 0.5, 0.5)
    yield Sample(make((3, 4)), make((4,)), rtol=0.0, atol=0.0)
    if make.dtype.kind == "f":
        yield Sample(_odd(make), _odd(make))
        yield Sample(_odd(make), _odd(make), equal_nan=True)
    yield ErrorSample(RuntimeError, "rtol", make((3,)), make((3,)), rtol=-1.0)
    import rushlight

    yield ErrorSample(RuntimeError, "dtype", make((3,), dtype=rushlight.float32), make((3,), dtype=rushlight.float64))
    yield ErrorSample(RuntimeError, "'rtol' and 'atol' must be at least 0", make((2,)), make((2,)), 1e-5, -1.0)


def _logical(name: str) -> None:
    @samples(name, dtypes="all", grad=False, reference=lambda np, a, b: getattr(np, name)(a, b))
    def _(make: Make) -> Samples:
        yield from binary(make, -1, 1) if make.dtype.kind in "iu" else binary(make)
        if make.dtype.kind == "f":
            yield Sample(_odd(make), make((1,)))
        yield from mismatched(make)


for _n in ("logical_and", "logical_or", "logical_xor"):
    _logical(_n)


@samples("logical_not", dtypes="all", grad=False, reference=lambda np, a: np.logical_not(a))
def _(make: Make) -> Samples:
    yield from unary(make, -1, 1)
    if make.dtype.kind == "f":
        yield Sample(_odd(make))


def _bitwise(name: str) -> None:
    @samples(name, dtypes="int bool", grad=False, reference=lambda np, a, b: getattr(np, name)(a, b))
    def _(make: Make) -> Samples:
        yield from binary(make, -100, 100)
        number = True if make.dtype.kind == "b" else 6
        yield Sample(make((3, 4)), number)
        yield Sample(number, make((3, 4)))
        yield from mismatched(make)
        import rushlight

        x = make((2,), dtype=rushlight.float32)
        yield ErrorSample((RuntimeError, NotImplementedError), name, x, x)


for _n in ("bitwise_and", "bitwise_or", "bitwise_xor"):
    _bitwise(_n)


@samples("bitwise_not", dtypes="int bool", grad=False, reference=lambda np, a: np.bitwise_not(a))
def _(make: Make) -> Samples:
    yield from unary(make, -100, 100)
    import rushlight

    yield ErrorSample((RuntimeError, NotImplementedError), "bitwise_not", make((2,), dtype=rushlight.float32))


def _shift(name: str, np_name: str) -> None:
    @samples(name, dtypes="int", grad=False, reference=lambda np, a, b: getattr(np, np_name)(a, b))
    def _(make: Make) -> Samples:
        yield from binary(make, -7, 7, (0, 3))
        yield Sample(make((3, 4)), 2)
        yield Sample(5, make((3, 4), low=0, high=3))
        yield from mismatched(make)


_shift("bitwise_left_shift", "left_shift")
_shift("bitwise_right_shift", "right_shift")


def _division(name: str, reference: Callable[..., Any], number_first: bool = True) -> None:
    @samples(name, dtypes="float int", reference=reference, grad=name != "floor_divide")
    def _(make: Make) -> Samples:
        yield from binary(make, other=(1, 3))
        if make.dtype.kind != "u":
            yield Sample(make((3, 4)), make((3, 4), low=-3, high=-1))
            yield Sample(make((3, 4)), -2)
        yield Sample(make((3, 4)), 2)
        if make.dtype.kind == "f":
            yield Sample(make((3, 4)), 0.75)
        if number_first:
            yield Sample(7, make((3, 4), low=1, high=3))
        yield from mismatched(make)
        import rushlight

        z = make((2,), dtype=rushlight.complex64)
        yield ErrorSample((RuntimeError, NotImplementedError), name, z, z)
        n = rushlight.tensor([1, 2])
        yield ErrorSample(RuntimeError, "ZeroDivisionError", n, rushlight.tensor([0, 1]))


_division("floor_divide", lambda np, a, b: np.floor_divide(a, b))
_division("remainder", lambda np, a, b: np.remainder(a, b))
_division("fmod", lambda np, a, b: np.fmod(a, b), False)


def _extremum(name: str) -> None:
    @samples(name, dtypes="float int bool", reference=lambda np, a, b: getattr(np, name)(a, b))
    def _(make: Make) -> Samples:
        yield from binary(make)
        if make.dtype.kind == "f":
            yield Sample(_odd(make), make((6,)))
            yield Sample(make((6,)), _odd(make))
        yield from mismatched(make)
        import rushlight

        z = make((2,), dtype=rushlight.complex64)
        yield ErrorSample((RuntimeError, NotImplementedError), name, z, z)


for _n in ("maximum", "minimum", "fmax", "fmin"):
    _extremum(_n)


def _clamp(np: ModuleType, x: Any, min: Any = None, max: Any = None) -> Any:
    x = x if min is None else np.maximum(x, min)
    return x if max is None else np.minimum(x, max)


@samples("clamp", dtypes="float int", reference=_clamp)
def _(make: Make) -> Samples:
    low, high = (0, 2) if make.dtype.kind in "iu" else (-0.7, 1.1)
    for shape in ((), (5,), (3, 4), (0,), (2, 3, 4), (2, 1, 3, 2)):
        yield Sample(make(shape), low, high)
    yield Sample(make((3, 4)), min=low)
    yield Sample(make((3, 4)), max=high)
    yield Sample(make((3, 4)), high, low)
    yield Sample(make((3, 4)), make((3, 4)), make((4,)))
    yield Sample(make((3, 4)), None, make((3, 1)))
    if make.dtype.kind == "f":
        yield Sample(_odd(make), -1.0, 1.0)
        yield Sample(_odd(make), make((6,)))
    yield ErrorSample(RuntimeError, "'min' or 'max' must be given; found None for both", make((3,)))
    yield ErrorSample(RuntimeError, "sizes that differ must be 1 in one of the tensors", make((3,)), make((4,)))


@samples("clamp_min", dtypes="float int", reference=lambda np, x, min: np.maximum(x, min))
def _(make: Make) -> Samples:
    for shape in ((), (5,), (3, 4), (0,)):
        yield Sample(make(shape), 1)
    yield Sample(make((3, 4)), make((4,)))


@samples("clamp_max", dtypes="float int", reference=lambda np, x, max: np.minimum(x, max))
def _(make: Make) -> Samples:
    for shape in ((), (5,), (3, 4), (0,)):
        yield Sample(make(shape), 1)
    yield Sample(make((3, 4)), make((4,)))


@samples("where", dtypes="all", reference=lambda np, c, a, b: np.where(c, a, b))
def _(make: Make) -> Samples:
    import rushlight

    def condition(*shape: int) -> Any:
        return make(shape, dtype=rushlight.bool)

    for c, a, b in (
        ((), (), ()),
        ((3, 4), (3, 4), (3, 4)),
        ((3, 1), (4,), ()),
        ((4,), (3, 1), (2, 1, 4)),
        ((0, 3), (3,), ()),
    ):
        yield Sample(condition(*c), make(a), make(b))
    yield Sample(condition(3, 4), make((3, 4)), 1)
    yield Sample(condition(3, 4), 0, make((3, 4)))
    yield ErrorSample(
        RuntimeError,
        r"'condition' must be of dtype torch\.bool; found torch\.float32",
        make((3,), dtype=rushlight.float32),
        make((3,)),
        make((3,)),
    )
    yield ErrorSample(
        RuntimeError, "sizes that differ must be 1 in one of the tensors", condition(3), make((4,)), make((3,))
    )
    yield ErrorSample(TypeError, "where", condition(3), make((3,)))


@samples("heaviside", dtypes="float int bool", grad=False, reference=lambda np, x, v: np.where(x == 0, v, x > 0))
def _(make: Make) -> Samples:
    yield from binary(make)
    if make.dtype.kind == "f":
        yield Sample(_odd(make), make((6,)))
    import rushlight

    yield ErrorSample(
        RuntimeError,
        r"'input' and 'values' must be of one dtype; found torch\.float32 and torch\.float64",
        make((3,), dtype=rushlight.float32),
        make((3,), dtype=rushlight.float64),
    )


def _whole(name: str) -> None:
    @samples(name, dtypes="int", grad=False, reference=lambda np, a, b: getattr(np, name)(a, b))
    def _(make: Make) -> Samples:
        yield from binary(make, -11, 11)
        yield from mismatched(make)
        import rushlight

        for d in (rushlight.int8, rushlight.int16):  # products that overflow
            x = rushlight.tensor([127, 57, 44, -100, 3, 0], dtype=rushlight.int16) * (1 if d is rushlight.int8 else 253)
            x = x.to(d)
            yield Sample(x[:, None], x)

        x = make((2,), dtype=rushlight.float32)
        yield ErrorSample((RuntimeError, NotImplementedError), name, x, x)


_whole("gcd")
_whole("lcm")


_VALUES = {"data": "gives a Python bool, of the values"}


@samples("equal", dtypes="all", grad=False, skip=_VALUES)
def _(make: Make) -> Samples:
    x = make((3, 4))
    yield Sample(x, x)
    yield Sample(x, make((3, 4)))
    yield Sample(x, make((4,)))
    yield Sample(make(()), make(()))
    yield Sample(make((0, 3)), make((0, 3)))
    import rushlight

    yield Sample(make((3,), dtype=rushlight.float32), make((3,), dtype=rushlight.float64))


@samples("allclose", dtypes="float complex int", grad=False, skip=_VALUES)
def _(make: Make) -> Samples:
    x = make((3, 4))
    yield Sample(x, x)
    yield Sample(x, make((4,)))
    yield Sample(x, make((3, 4)), 0.5, 10.0)
    yield Sample(make((0, 3)), make((0, 3)))


@samples("is_same_size", dtypes="all", grad=False, skip={"vmap": "gives a Python bool", "meta": "gives a Python bool"})
def _(make: Make) -> Samples:
    yield Sample(make((3, 4)), make((3, 4)))
    yield Sample(make((3, 4)), make((4,)))
    yield Sample(make((0, 3)), make((0, 3)))


for _n in ("gcd_", "lcm_"):

    @samples(_n, dtypes="int", grad=False, skip={"vmap": "changes its input"})
    def _(make: Make) -> Samples:
        yield Sample(make((3, 4)), make((3, 4)))
        yield Sample(make((3, 4)), make((4,)))
        yield Sample(make((0, 3)), make((3,)))
