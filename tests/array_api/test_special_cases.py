"""The special cases that the standard states for real floating point numbers, function by function.

Each line of the standard is one or more rows here: "x1_i < 0 and x2_i is +infinity" stands as a negative number and
inf. Signs of zeros count. tests/array_api/test_conformance.py compares ordinary values.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight import array_api as xp

nan, inf, pi = math.nan, math.inf, math.pi

UNARY: dict[str, list[tuple[float, float]]] = {
    "abs": [(-0.0, 0.0), (-inf, inf), (inf, inf)],
    "acos": [(2.0, nan), (-2.0, nan), (inf, nan), (1.0, 0.0), (-1.0, pi)],
    "acosh": [(0.5, nan), (-inf, nan), (1.0, 0.0), (inf, inf)],
    "asin": [(2.0, nan), (-2.0, nan), (0.0, 0.0), (-0.0, -0.0)],
    "asinh": [(0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf)],
    "atan": [(0.0, 0.0), (-0.0, -0.0), (inf, pi / 2), (-inf, -pi / 2)],
    "atanh": [(-2.0, nan), (2.0, nan), (-1.0, -inf), (1.0, inf), (0.0, 0.0), (-0.0, -0.0)],
    **{
        name: [(inf, inf), (-inf, -inf), (0.0, 0.0), (-0.0, -0.0), (3.0, 3.0)]
        for name in ("ceil", "floor", "round", "trunc")
    },
    "cos": [(0.0, 1.0), (-0.0, 1.0), (inf, nan), (-inf, nan)],
    "cosh": [(0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, inf)],
    "exp": [(0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, 0.0)],
    "expm1": [(0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -1.0)],
    **{
        name: [(-1.0, nan), (-inf, nan), (0.0, -inf), (-0.0, -inf), (1.0, 0.0), (inf, inf)]
        for name in ("log", "log2", "log10")
    },
    "log1p": [(-2.0, nan), (-inf, nan), (-1.0, -inf), (-0.0, -0.0), (0.0, 0.0), (inf, inf)],
    "sign": [(-3.0, -1.0), (-inf, -1.0), (3.0, 1.0), (inf, 1.0), (0.0, 0.0)],
    "sin": [(0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan)],
    "sinh": [(0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf)],
    "sqrt": [(-1.0, nan), (-inf, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf)],
    "square": [(-0.0, 0.0), (-inf, inf)],
    "tan": [(0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan)],
    "tanh": [(0.0, 0.0), (-0.0, -0.0), (inf, 1.0), (-inf, -1.0)],
    "negative": [(0.0, -0.0), (-0.0, 0.0), (inf, -inf)],
    "positive": [(-0.0, -0.0)],
    "reciprocal": [(0.0, inf), (-0.0, -inf), (inf, 0.0), (-inf, -0.0)],
}
# Each of these is NaN for NaN; ceil(0.3) = 1 and the like have -0 where the result rounds to it.
HALVES = {
    "round": [(0.5, 0.0), (-0.5, -0.0), (1.5, 2.0), (2.5, 2.0), (-2.5, -2.0), (-0.3, -0.0)],
    "ceil": [(-0.3, -0.0)],
    "trunc": [(-0.3, -0.0), (0.3, 0.0)],
}

_SUM = [
    (inf, -inf, nan),
    (-inf, inf, nan),
    (inf, inf, inf),
    (-inf, -inf, -inf),
    (inf, 2.0, inf),
    (-inf, 2.0, -inf),
    (2.0, inf, inf),
    (2.0, -inf, -inf),
    (-0.0, -0.0, -0.0),
    (-0.0, 0.0, 0.0),
    (0.0, -0.0, 0.0),
    (0.0, 0.0, 0.0),
    (0.0, 3.0, 3.0),
    (-0.0, 3.0, 3.0),
    (3.0, -0.0, 3.0),
    (3.0, -3.0, 0.0),
]
_QUOTIENT = [
    (inf, inf, nan),
    (-inf, inf, nan),
    (0.0, 0.0, nan),
    (0.0, -0.0, nan),
    (-0.0, -0.0, nan),
    (0.0, 2.0, 0.0),
    (-0.0, 2.0, -0.0),
    (0.0, -2.0, -0.0),
    (-0.0, -2.0, 0.0),
    (2.0, 0.0, inf),
    (2.0, -0.0, -inf),
    (-2.0, 0.0, -inf),
    (-2.0, -0.0, inf),
    (inf, 2.0, inf),
    (inf, -2.0, -inf),
    (-inf, 2.0, -inf),
    (-inf, -2.0, inf),
    (2.0, inf, 0.0),
    (2.0, -inf, -0.0),
    (-2.0, inf, -0.0),
    (-2.0, -inf, 0.0),
]
BINARY: dict[str, list[tuple[float, float, float]]] = {
    "add": _SUM,
    "subtract": [(a, -b, c) for a, b, c in _SUM],
    "multiply": [
        (inf, 0.0, nan),
        (-0.0, -inf, nan),
        (inf, inf, inf),
        (inf, -inf, -inf),
        (-inf, -inf, inf),
        (inf, 2.0, inf),
        (-2.0, inf, -inf),
        (0.0, -2.0, -0.0),
        (-0.0, -2.0, 0.0),
    ],
    "divide": _QUOTIENT,
    # Those of division, and then: the quotient of two finite numbers is rounded down.
    "floor_divide": [
        *_QUOTIENT,
        (7.0, 2.0, 3.0),
        (-7.0, 2.0, -4.0),
        (7.0, -2.0, -4.0),
        (-7.0, -2.0, 3.0),
        (0.5, 2.0, 0.0),
        (-0.5, -2.0, 0.0),
        (0.5, -2.0, -1.0),
    ],
    "remainder": [
        (inf, inf, nan),
        (inf, 2.0, nan),
        (-inf, -2.0, nan),
        (2.0, 0.0, nan),
        (-2.0, -0.0, nan),
        (0.0, 0.0, nan),
        (0.0, 2.0, 0.0),
        (-0.0, 2.0, 0.0),
        (0.0, -2.0, -0.0),
        (-0.0, -2.0, -0.0),
        (2.0, inf, 2.0),
        (2.0, -inf, -inf),
        (-2.0, inf, inf),
        (-2.0, -inf, -2.0),
        (4.0, 2.0, 0.0),
        (-4.0, 2.0, 0.0),
        (4.0, -2.0, -0.0),
        (7.0, -2.0, -1.0),
        (-7.0, 2.0, 1.0),
    ],
    "atan2": [
        (2.0, 0.0, pi / 2),
        (2.0, -0.0, pi / 2),
        (0.0, 2.0, 0.0),
        (0.0, 0.0, 0.0),
        (0.0, -0.0, pi),
        (0.0, -2.0, pi),
        (-0.0, 2.0, -0.0),
        (-0.0, 0.0, -0.0),
        (-0.0, -0.0, -pi),
        (-0.0, -2.0, -pi),
        (-2.0, 0.0, -pi / 2),
        (-2.0, -0.0, -pi / 2),
        (2.0, inf, 0.0),
        (2.0, -inf, pi),
        (-2.0, inf, -0.0),
        (-2.0, -inf, -pi),
        (inf, 2.0, pi / 2),
        (-inf, 2.0, -pi / 2),
        (inf, inf, pi / 4),
        (inf, -inf, 3 * pi / 4),
        (-inf, inf, -pi / 4),
        (-inf, -inf, -3 * pi / 4),
    ],
    "copysign": [
        (3.0, -2.0, -3.0),
        (3.0, -0.0, -3.0),
        (-3.0, 0.0, 3.0),
        (-3.0, 2.0, 3.0),
        (3.0, -nan, -3.0),
        (-3.0, nan, 3.0),
        (inf, -1.0, -inf),
        (0.0, -1.0, -0.0),
    ],
    "hypot": [
        (inf, nan, inf),
        (nan, -inf, inf),
        (-inf, 2.0, inf),
        (0.0, -3.0, 3.0),
        (-0.0, 3.0, 3.0),
        (3.0, 0.0, 3.0),
        (-0.0, -0.0, 0.0),
        (nan, 2.0, nan),
    ],
    "logaddexp": [(inf, 2.0, inf), (2.0, inf, inf), (-inf, inf, inf), (-inf, -inf, -inf), (-inf, 2.0, 2.0)],
    "maximum": [(nan, 1.0, nan), (1.0, nan, nan), (-inf, inf, inf)],
    "minimum": [(nan, 1.0, nan), (1.0, nan, nan), (-inf, inf, -inf)],
    "nextafter": [(2.0, 2.0, 2.0), (0.0, -0.0, -0.0), (-0.0, 0.0, 0.0)],
    "pow": [
        (2.0, nan, nan),
        (nan, 0.0, 1.0),
        (nan, -0.0, 1.0),
        (inf, 0.0, 1.0),
        (nan, 2.0, nan),
        (2.0, inf, inf),
        (-2.0, inf, inf),
        (2.0, -inf, 0.0),
        (-2.0, -inf, 0.0),
        (1.0, inf, 1.0),
        (-1.0, inf, 1.0),
        (-1.0, -inf, 1.0),
        (1.0, 5.0, 1.0),
        (0.5, inf, 0.0),
        (-0.5, inf, 0.0),
        (0.5, -inf, inf),
        (-0.5, -inf, inf),
        (inf, 2.0, inf),
        (inf, 0.5, inf),
        (inf, -2.0, 0.0),
        (-inf, 3.0, -inf),
        (-inf, 2.0, inf),
        (-inf, 0.5, inf),
        (-inf, -3.0, -0.0),
        (-inf, -2.0, 0.0),
        (0.0, 2.0, 0.0),
        (0.0, 3.0, 0.0),
        (0.0, -2.0, inf),
        (0.0, -3.0, inf),
        (-0.0, 3.0, -0.0),
        (-0.0, 2.0, 0.0),
        (-0.0, 0.5, 0.0),
        (-0.0, -3.0, -inf),
        (-0.0, -2.0, inf),
        (-0.0, -0.5, inf),
        (-2.0, 0.5, nan),
        (-8.0, 1 / 3, nan),
        (-2.0, 3.0, -8.0),
    ],
}
NAN_FREE = {"copysign", "hypot", "pow"}  # not simply NaN where an operand is


def check(name: str, found: rl.Tensor, expected: list[float], rows: list[Any]) -> None:
    """Equal to a few units in the last place; NaN where it is expected, and zeros of the right sign."""
    eps = xp.finfo(found.dtype).eps
    for value, wanted, row in zip(found.tolist(), expected, rows, strict=True):
        good = (
            math.isnan(value)
            if math.isnan(wanted)
            else math.isclose(value, wanted, rel_tol=4 * eps)
            and (wanted != 0 or math.copysign(1, value) == math.copysign(1, wanted))
        )
        assert good, f"{name}{row}: {value}, but the standard has {wanted}"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str, dtype: str) -> None:
    rows = [*UNARY[name], *HALVES.get(name, []), (nan, nan)]
    x = xp.asarray([x for x, _ in rows], dtype=getattr(xp, dtype))
    check(name, getattr(xp, name)(x), [y for _, y in rows], [(x,) for x, _ in rows])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", BINARY)
def test_binary(name: str, dtype: str) -> None:
    rows = [
        *BINARY[name],
        *(
            []
            if name in NAN_FREE
            else [(nan, 2.0, nan), (2.0, nan, nan), (nan, nan, nan), (nan, inf, nan), (-inf, nan, nan)]
        ),
    ]
    x1, x2 = (xp.asarray([row[i] for row in rows], dtype=getattr(xp, dtype)) for i in (0, 1))
    check(name, getattr(xp, name)(x1, x2), [row[2] for row in rows], [row[:2] for row in rows])


# Not //, which is PyTorch's, Python's and NumPy's: NaN for inf // 2.0, -1 for -1.0 // inf. The standard allows it.
OPERATORS = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "remainder": operator.mod,
    "pow": operator.pow,
}
IN_PLACE = {"divide": operator.itruediv, "remainder": operator.imod, "pow": operator.ipow}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name: str, dtype: str) -> None:
    rows, f = BINARY[name], getattr(xp, name)
    x1, x2 = (xp.asarray([row[i] for row in rows], dtype=getattr(xp, dtype)) for i in (0, 1))
    inputs, expected = [row[:2] for row in rows], [row[2] for row in rows]
    check(name, OPERATORS[name](x1, x2), expected, inputs)
    if name in IN_PLACE:
        check(name, IN_PLACE[name](xp.asarray(x1, copy=True), x2), expected, inputs)
    # One of the two as a number.
    check(name, xp.stack([f(x, b) for x, (_, b) in zip(x1, inputs, strict=True)]), expected, inputs)
    check(name, xp.stack([f(a, x) for (a, _), x in zip(inputs, x2, strict=True)]), expected, inputs)


def test_floor_division_by_the_operator() -> None:
    x1, x2 = xp.asarray([inf, -inf, 1.0, -1.0, 7.0]), xp.asarray([2.0, 2.0, -inf, inf, -2.0])
    check("//", x1 // x2, [nan, nan, -1.0, -1.0, -4.0], x1.tolist())
    check("floor_divide", xp.floor_divide(x1, x2), [inf, -inf, -0.0, -0.0, -4.0], x1.tolist())


def test_bools() -> None:
    x = xp.asarray([nan, inf, -inf, 0.0, -0.0, 1.0])
    assert xp.isfinite(x).tolist() == [False, False, False, True, True, True]
    assert xp.isinf(x).tolist() == [False, True, True, False, False, False]
    assert xp.isnan(x).tolist() == [True, False, False, False, False, False]
    assert xp.signbit(xp.asarray([0.0, -0.0, inf, -inf, nan, -nan])).tolist() == [False, True, False, True, False, True]
    assert xp.all(xp.asarray([nan, inf, -inf])) and not xp.any(xp.asarray([0.0, -0.0]))
    assert xp.equal(x, x).tolist() == [False, True, True, True, True, True] and xp.equal(
        xp.asarray(0.0), xp.asarray(-0.0)
    )


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex(dtype: str) -> None:
    x = xp.asarray(
        [complex(inf, nan), complex(nan, -inf), complex(-3, 4), complex(0.0, -0.0), complex(nan, 1)],
        dtype=getattr(xp, dtype),
    )
    check("abs", xp.abs(x), [inf, inf, 5.0, 0.0, nan], x.tolist())
    assert xp.isinf(x).tolist() == [True, True, False, False, False] and xp.isnan(x).tolist() == [
        True,
        True,
        False,
        False,
        True,
    ]
    assert xp.sign(xp.asarray([0j, 3 - 4j], dtype=getattr(xp, dtype))).tolist() == pytest.approx([0j, 0.6 - 0.8j])
    assert xp.round(xp.asarray([2.5 - 1.5j, -0.5 + 0.6j], dtype=getattr(xp, dtype))).tolist() == [2 - 2j, 0 + 1j]


# NumPy's functions follow the same tables (C99, Annex G) as the standard. Left out: sin and sinh, where NumPy chooses
# another of the signs that the tables leave open, and expm1, where NumPy has NaN for inf + 0j and the standard inf +
# 0j.
COMPLEX = {
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atanh": "arctanh",
    "cos": "cos",
    "cosh": "cosh",
    "exp": "exp",
    "log": "log",
    "log1p": "log1p",
    "log2": "log2",
    "log10": "log10",
    "sqrt": "sqrt",
    "tan": "tan",
    "tanh": "tanh",
    "abs": "abs",
}


@pytest.mark.parametrize("name", COMPLEX)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_complex_infinities(name: str) -> None:
    parts = np.array([0.0, -0.0, 1.0, -2.5, 1e200, inf, -inf, nan])
    z = np.empty((8, 8), np.complex128)
    z.real, z.imag = parts[:, None], parts
    found, expected = getattr(xp, name)(xp.asarray(z)).numpy(), getattr(np, COMPLEX[name])(z)
    np.testing.assert_allclose(found.real, expected.real, rtol=1e-14)
    np.testing.assert_allclose(found.imag, expected.imag, rtol=1e-14)


def test_complex_expm1() -> None:
    values = xp.expm1(
        xp.asarray([complex(inf, 0.0), complex(-inf, 1.0), complex(nan, 0.0)], dtype=xp.complex128)
    ).tolist()
    assert values[0] == complex(inf, 0) and values[1] == -1 and math.isnan(values[2].real) and values[2].imag == 0


def test_derivatives_of_what_differs_from_pytorch() -> None:
    for f, x, expected in (
        (lambda v: xp.remainder(v, 3.0), [7.0, -7.0], [1.0, 1.0]),
        (lambda v: xp.sign(v), [2.0, -1.0], [0.0, 0.0]),
        (lambda v: xp.round(v), [2.2, -1.7], [0.0, 0.0]),
        (lambda v: xp.remainder(7.5, v), [2.0, -2.0], [-3.0, 4.0]),
    ):
        v = rl.tensor(x, requires_grad=True)
        f(v).sum().backward()
        assert v.grad is not None and v.grad.tolist() == expected
