"""Errors of cosine and sine transforms against exact sums in long double, beside SciPy's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.fft

import rushlight

# Powers of two, odd lengths, primes that have a codelet and those that go Bluestein's way.
SIZES = [
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    11,
    12,
    15,
    16,
    17,
    23,
    25,
    27,
    31,
    32,
    33,
    40,
    45,
    61,
    64,
    67,
    100,
    125,
    127,
    128,
    192,
]
SHAPES = [(2, 2), (3, 4), (5, 3), (2, 3, 4), (3, 5, 7), (8, 8), (4, 3, 2, 5), (15, 17), (32, 32)]
PI = np.longdouble("3.14159265358979323846264338327950288")


def cosines(numerator: Any, denominator: int) -> Any:
    """cos(pi numerator / denominator) of whole numbers: of angles of at most pi / 4."""
    k = np.asarray(numerator, np.int64) % (2 * denominator)
    k = np.where(k > denominator, 2 * denominator - k, k)
    obtuse = 2 * k > denominator
    k = np.where(obtuse, denominator - k, k)
    steep = 4 * k > denominator
    angle = np.where(steep, denominator - 2 * k, 2 * k).astype(np.longdouble) * PI / (2 * denominator)
    c = np.where(steep, np.sin(angle), np.cos(angle))
    return np.where(obtuse, -c, c)


def matrix(name: str, kind: int, n: int, ortho: bool) -> Any:
    """A transform along one dimension of n numbers, in long double."""
    sine = name == "dst"
    j, k = np.arange(n)[None, :], np.arange(n)[:, None]
    if kind == 1:
        of, angle = (n + 1, (j + 1) * (k + 1)) if sine else (n - 1, j * k)
    elif kind == 4:
        of, angle = 4 * n, (2 * j + 1) * (2 * k + 1)
    elif kind == 2:
        of, angle = 2 * n, (2 * j + 1) * (k + sine)
    else:
        of, angle = 2 * n, (j + sine) * (2 * k + 1)
    m = 2 * cosines(of - 2 * angle, 2 * of) if sine else 2 * cosines(angle, of)
    root = np.sqrt(np.longdouble(2))
    alone = [n - 1] if sine else [0]  # entries that their sum holds once
    if kind == 1:
        alone = [] if sine else [0, n - 1]
    elif kind == 4:
        alone = []
    if ortho:
        if kind in (1, 3):
            m[:, alone] /= root
        if kind in (1, 2):
            m[alone, :] /= root
        m /= np.sqrt(np.longdouble(2 * (n if kind > 1 else n + 1 if sine else n - 1)))
    elif kind in (1, 3):
        m[:, alone] /= 2
    return m


def error(found: Any, exact: Any) -> float:
    """The root mean square of the error, relative to that of what is exact, in units of the dtype's eps."""
    d = found.astype(np.longdouble) - exact
    return math.sqrt(float(np.sum(d**2) / np.sum(exact**2))) / float(np.finfo(found.dtype).eps)


@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["dct", "dst"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_errors_are_no_larger_than_scipys(dtype: Any, name: str, kind: int, norm: str | None) -> None:
    """Over all lengths together: of a single one chance decides. No length stands out. (Type 1 transforms a line of
    twice the length.)
    """
    rng = np.random.default_rng(kind)
    ours, theirs = [], []
    for shape in [*((24, n) for n in SIZES), *((16, *shape) for shape in SHAPES)]:
        axes = tuple(range(1, len(shape)))
        x = rng.standard_normal(shape).astype(dtype)
        exact = x.astype(np.longdouble)
        for d in axes:
            m = matrix(name, kind, shape[d], norm == "ortho")
            exact = np.moveaxis(np.tensordot(m, exact, (1, d)), 0, d)
        found = getattr(rushlight.fft, f"{name}n")(rushlight.from_numpy(x), kind, axes=axes, norm=norm).numpy()
        ours.append(error(found, exact))
        theirs.append(error(getattr(scipy.fft, f"{name}n")(x, kind, axes=axes, norm=norm), exact))
        bound = 0.7 + 0.1 * math.log2(math.prod(shape[1:]))
        assert ours[-1] <= bound, (shape, ours[-1], bound)
    most = np.mean(theirs) * (1.03 if kind == 1 else 1.0)
    assert np.mean(ours) <= most, (np.mean(ours), np.mean(theirs))
