"""Square roots are rounded correctly where they are computed from an estimate (`vecmath/base.py`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as rl


def check(x: Any) -> None:
    """Bits of NumPy's, which are the processor's instruction's."""
    with np.errstate(invalid="ignore"):
        expected = np.sqrt(x)
    found = rl.sqrt(rl.from_numpy(x)).numpy()
    word = np.int32 if x.dtype == np.float32 else np.int64
    same = (found.view(word) == expected.view(word)) | (np.isnan(found) & np.isnan(expected))
    assert same.all(), (x[~same][:5], found[~same][:5], expected[~same][:5])


def test_every_float_of_two_exponents() -> None:
    """Numbers four times as large have roots twice as large, by the same roundings."""
    check(np.arange(127 << 23, 129 << 23, dtype=np.int32).view(np.float32))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_exponent(dtype: Any) -> None:
    rng, mantissa = np.random.default_rng(0), 23 if dtype == np.float32 else 52
    word = np.int32 if dtype == np.float32 else np.int64
    count = 256 if dtype == np.float32 else 2048
    of_exponent = rng.integers(0, 1 << mantissa, (count, 500)) | np.arange(count)[:, None] << mantissa
    x = of_exponent.astype(word).view(dtype).ravel()
    tiny = np.arange(2000, dtype=word).view(dtype)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, np.finfo(dtype).max, np.finfo(dtype).tiny], dtype)
    check(np.concatenate([x, -x[::100], tiny, np.repeat(special, 7)]))


def roots_of(residue: int, bits: int) -> list[int]:
    """The four square roots of a number that is 1 modulo 8, modulo 2^bits, from those modulo 8."""
    r = 1
    for k in range(3, bits):
        if (r * r - residue) >> k & 1:
            r += 1 << (k - 1)
    half = 1 << (bits - 1)
    return [v % (1 << bits) for v in (r, -r, r + half, half - r)]


def test_doubles_next_to_where_rounding_changes() -> None:
    """A root is never half way between two doubles: with m of 54 bits that ends in 1, x 2^s = m^2 + d, d = 7 modulo 8.

    For all |d| < 2^12, which is for all roots that are nearer than 2^-44 of a last place; the iterations are exact to
    2^-47 of it before they round.
    """
    found = []
    for shift in (54, 55):
        for d in range(7 - (1 << 12), 1 << 12, 8):
            for m in roots_of(-d % (1 << shift), shift):
                square, rest = divmod(m * m + d, 1 << shift)
                if 1 << 53 < m < 1 << 54 and 1 << 52 <= square < 1 << 53:
                    assert rest == 0
                    found.append(float(square) * (shift - 53))
    assert len(found) > 1000
    x = np.array(found)
    check(np.concatenate([x, x * 2.0**-900, x * 2.0**900]))


def test_doubles_at_random() -> None:
    check(np.random.default_rng(1).uniform(1, 4, 2_000_000))
