"""topk() of numbers of 64 bits: the first of a stable sort, for equal numbers, NaN and zeros of both signs."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as rl


def _expected(x: np.ndarray, k: int, axis: int, largest: bool) -> np.ndarray:
    """The indices of the first k in order: NaN is the largest, and equal numbers keep their order."""
    ranks = np.unique(x, return_inverse=True)[1].reshape(x.shape).astype(np.int64)
    if x.dtype.kind == "f":
        ranks[np.isnan(x)] = x.size
    return np.argsort(-ranks if largest else ranks, axis=axis, kind="stable").take(np.arange(k), axis)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("k", [1, 5, 33, 64, 65, 700])
@pytest.mark.parametrize("dtype", ["float64", "int64"])
def test_topk(dtype: str, k: int, largest: bool) -> None:
    rng = np.random.default_rng(k)
    x = rng.integers(-300, 300, (3, 1500, 2)).astype(dtype)
    if dtype == "float64":
        x[x % 7 == 0] *= -0.0
        x[0, ::5], x[1, 20:] = np.nan, np.nan
        x[2, 3:9, 0] = np.inf, -np.inf, 1e-320, -1e-320, 1e308, -1e308
    else:
        x[0, ::5], x[1, 20:] = np.iinfo(np.int64).max, np.iinfo(np.int64).max
        x[2, ::3] = np.iinfo(np.int64).min
    for axis in range(3):
        across = np.moveaxis(x, 1, axis)
        for lies in (rl.from_numpy(np.ascontiguousarray(across)), rl.from_numpy(x).movedim(1, axis)):
            values, indices = rl.topk(lies, k, axis, largest)
            expected = _expected(across, k, axis, largest)
            assert np.array_equal(indices.numpy(), expected)
            assert np.array_equal(values.numpy(), np.take_along_axis(across, expected, axis), equal_nan=True)
