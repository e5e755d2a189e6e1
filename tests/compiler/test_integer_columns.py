"""Integers that are reduced along columns: several rows at once, with states in registers."""

from typing import Any

import numpy as np
import pytest

import rushlight as rl

SHAPES = [(1, 1, 1), (3, 5, 7), (8, 16, 16), (9, 33, 129), (17, 130, 260), (40, 2, 200), (31, 0, 5), (300, 40, 130)]


def numbers(dtype: str, *shape: int) -> tuple[Any, Any]:
    """The same numbers as NumPy's array and as a tensor."""
    x = np.random.default_rng(sum(shape)).integers(0, 200, shape).astype(dtype)
    return x, rl.tensor(x)


@pytest.mark.parametrize("dtype", ["int64", "int32", "int16", "uint8"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_products(dtype: str, shape: tuple[int, int, int]) -> None:
    m, k, n = shape
    (a, ours_a), (b, ours_b) = numbers(dtype, m, k), numbers(dtype, k, n)
    assert np.array_equal((ours_a @ ours_b).numpy(), a @ b)
    (a, ours_a), (b, ours_b) = numbers(dtype, 2, 3, m, k), numbers(dtype, 3, k, n)
    assert np.array_equal((ours_a @ ours_b).numpy(), a @ b)
    assert np.array_equal((ours_a @ ours_b[0, :, ::2]).numpy(), a @ b[0, :, ::2])


@pytest.mark.parametrize("dtype", ["int64", "int32", "int8", "bool"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_reductions(dtype: str, shape: tuple[int, int, int]) -> None:
    x, ours = numbers(dtype, *shape)
    for d in (0, 1):
        assert np.array_equal(ours.sum(d).numpy(), x.sum(d, dtype=np.int64))
        assert np.array_equal(ours.prod(d).numpy(), x.prod(d, dtype=np.int64))
        assert np.array_equal(ours.any(d).numpy(), x.any(d))
        assert np.array_equal(ours.all(d).numpy(), x.all(d))
        if x.shape[d]:
            assert np.array_equal(ours.amax(d).numpy(), x.max(d))
            assert np.array_equal(ours.amin(d).numpy(), x.min(d))
