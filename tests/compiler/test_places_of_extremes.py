"""argmax and argmin along rows: the first winner, whatever is found first."""

from typing import Any

import numpy as np
import pytest

import rushlight as rl

SHAPES = [(1,), (17,), (64,), (65,), (3, 63), (4, 1000), (2, 70_000), (200_000,), (5_000_000,)]


def first(x: Any, name: str) -> Any:
    return np.asarray(getattr(np, name)(x, -1)).tolist()


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32", "uint8"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_first_of_equals(shape: tuple[int, ...], dtype: str, name: str) -> None:
    x = np.random.default_rng(len(shape)).integers(0, 100, shape).astype(dtype)
    for values in (x, np.zeros_like(x)):
        assert getattr(rl.tensor(values), name)(-1).tolist() == first(values, name)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_rare_numbers(shape: tuple[int, ...], dtype: str, name: str) -> None:
    """NaN wins, the first of them; infinities alone; zeros of both signs are equal."""
    rng = np.random.default_rng(len(shape))
    x = rng.standard_normal(shape).astype(dtype)
    nans, zeros = x.copy(), np.where(x > 0, 0.0, -0.0).astype(dtype)
    nans[..., rng.integers(0, shape[-1])] = nans[..., -1] = np.nan
    for values in (nans, zeros, np.full_like(x, np.inf), np.full_like(x, -np.inf)):
        assert getattr(rl.tensor(values), name)(-1).tolist() == first(values, name)
