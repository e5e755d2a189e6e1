"""Samples of operators/elementwise/arithmetic.py."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, binary, mismatched, samples, unary


def _number(make: Make, real: float = 1.5) -> Any:
    kind = make.dtype.kind
    return True if kind == "b" else 3 if kind in "iu" else complex(real, -0.5) if kind == "c" else real


def _add(np: ModuleType, a: Any, b: Any, alpha: Any = 1) -> Any:
    return np.add(a, b) if np.asarray(a).dtype.kind == "b" else a + np.asarray(alpha).astype(np.asarray(a).dtype) * b


@samples("add", dtypes="all", reference=_add)
def _(make: Make) -> Samples:
    yield from binary(make)
    yield Sample(make((3, 4)), _number(make))
    yield Sample(_number(make), make((3, 4)))
    if make.dtype.kind != "b":
        yield Sample(make((3, 4)), make((4,)), alpha=2)
        yield Sample(make((3,)), 2, alpha=_number(make))
    yield from mismatched(make)
    yield ErrorSample(TypeError, r"add\(\).*missing", make((3,)))
    yield ErrorSample(TypeError, "add", make((3,)), "x")
    yield ErrorSample(TypeError, "unexpected keyword", make((3,)), 1, beta=2)


@samples(
    "sub",
    dtypes="float complex int",
    reference=lambda np, a, b, alpha=1: a - np.asarray(alpha).astype(np.asarray(a).dtype) * b,
)
def _(make: Make) -> Samples:
    yield from binary(make)
    yield Sample(make((3, 4)), _number(make))
    yield Sample(make((3, 4)), make((4,)), alpha=2)
    yield from mismatched(make)
    import rushlight

    b = rushlight.tensor([True, False])
    yield ErrorSample((RuntimeError, NotImplementedError), "sub", b, b)


@samples("rsub", dtypes="float complex int", reference=lambda np, a, b, alpha=1: b - alpha * a)
def _(make: Make) -> Samples:
    yield from binary(make)
    yield Sample(make((3, 4)), _number(make))
    yield Sample(make((3, 4)), make((4,)), alpha=2)
    yield from mismatched(make)
    yield ErrorSample(TypeError, "argument 'input'", 2, make((3,)))


@samples("mul", dtypes="all", reference=lambda np, a, b: np.multiply(a, b))
def _(make: Make) -> Samples:
    yield from binary(make)
    yield Sample(make((3, 4)), _number(make))
    yield Sample(_number(make), make((2, 3, 4)))
    yield from mismatched(make)


@samples("neg", dtypes="float complex int", reference=lambda np, a: -a)
def _(make: Make) -> Samples:
    yield from unary(make)
    yield ErrorSample(TypeError, "neg", 1.0)


def _away_from_zero(make: Make, a: tuple[int, ...], b: tuple[int, ...]) -> tuple[Any, Any]:
    return make(a), make(b, low=1, high=3)


def _div(np: ModuleType, a: Any, b: Any, rounding_mode: str | None = None) -> Any:
    if rounding_mode is None:
        return np.true_divide(a, b)
    if rounding_mode == "floor":
        return np.floor_divide(a, b)
    q = np.trunc(np.true_divide(a, b))
    return q if np.asarray(a).dtype.kind == "f" else q.astype(np.asarray(a).dtype)


@samples("div", dtypes="float complex int bool", reference=_div)
def _(make: Make) -> Samples:
    low = 1 if make.dtype.kind != "b" else None
    yield from binary(make, other=(low, 4))
    if make.dtype.kind != "b":
        yield Sample(make((3, 4)), _number(make))
        yield Sample(_number(make), make((3, 4), low=1, high=3))
    if make.dtype.kind in "fiu":
        for mode in ("trunc", "floor"):
            yield Sample(*_away_from_zero(make, (3, 4), (3, 4)), rounding_mode=mode)
            yield Sample(*_away_from_zero(make, (2, 3, 4), (4,)), rounding_mode=mode)
            yield Sample(make((5,)), 2, rounding_mode=mode)
            yield Sample(make((5,)), make((5,), low=-4, high=-1) if make.dtype.kind != "u" else 2, rounding_mode=mode)
    yield from mismatched(make)
    yield ErrorSample(RuntimeError, "rounding_mode", make((3,)), make((3,)), rounding_mode="up")
