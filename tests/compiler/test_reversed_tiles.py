"""Copies of what lies transposed and in reverse order: tiles that begin at the other end of a dim."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as rl

DIMS = (-2, -1)


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(300, 401), (3, 160, 161), (2, 3, 112, 130), (4, 70_000)], ids=str)
def test_quarter_turns(shape: tuple[int, ...], dtype: str) -> None:
    """Each launch is made anew, on other data too, and at an offset."""
    x = (np.random.default_rng(len(shape)).standard_normal(shape) * 50).astype(dtype)
    one = np.ones((), dtype)
    for values in (x, x[::-1].copy()):
        for k in range(4):
            wanted = np.rot90(values, k, DIMS)
            np.testing.assert_array_equal(rl.rot90(rl.tensor(values), k, DIMS).numpy(), wanted)
            np.testing.assert_array_equal((rl.rot90(rl.tensor(values), k, DIMS) + rl.tensor(one)).numpy(), wanted + one)
            inner = rl.tensor(values)[..., 1:, 1:]
            turned = rl.rot90(inner, k, DIMS).contiguous().numpy()
            np.testing.assert_array_equal(turned, np.rot90(values[..., 1:, 1:], k, DIMS))


def test_operands_from_different_ends() -> None:
    """Of one kernel: turned pieces of an expression are fused."""
    x, y = np.random.default_rng(0).standard_normal((2, 300, 301)).astype("float32")
    left, right = rl.tensor(x), rl.tensor(y)

    @rl.compile
    def f(a: rl.Tensor, b: rl.Tensor) -> tuple[rl.Tensor, ...]:
        return a.flip(0).T + b.T.flip(1), a.T.flip(0) - b.T, a.flip(0).T * b.flip(1).T

    wanted = x[::-1].T + y.T[:, ::-1], x.T[::-1] - y.T, x[::-1].T * y[:, ::-1].T
    for _ in range(2):
        for found, w in zip(f(left, right), wanted, strict=True):
            np.testing.assert_array_equal(found.numpy(), w)


def test_onto_itself() -> None:
    x = np.random.default_rng(1).standard_normal((300, 300)).astype("float32")
    t = rl.tensor(x)
    t.copy_(rl.rot90(t))
    np.testing.assert_array_equal(t.numpy(), np.rot90(x))
