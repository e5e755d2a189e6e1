"""pad() with every pair of widths that fits a small size, negative ones among them: values and gradients by places."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import rushlight as rl
from rushlight.nn import functional as F


def _places(n: int, low: int, high: int, mode: str) -> np.ndarray:
    """Which element of a dimension of size n each place of the padded one shows."""
    at = np.arange(-low, n + high)
    if mode == "replicate":
        return np.clip(at, 0, n - 1)
    return (n - 1) - np.abs((n - 1) - np.abs(at))


@pytest.mark.parametrize("mode", ["reflect", "replicate"])
@pytest.mark.parametrize("n", [1, 2, 4])
def test_places(mode: str, n: int) -> None:
    most = n - 1 if mode == "reflect" else n + 1
    widths = [w for w in itertools.product(range(-n - 1, most + 1), repeat=2) if n + sum(w) > 0]
    x = np.arange(2.0 * 3 * n).reshape(2, 3, n)
    square = np.arange(2.0 * n * n).reshape(2, n, n)
    for low, high in widths:
        at = _places(n, low, high, mode)
        leaf = rl.tensor(x, requires_grad=True)
        y = F.pad(leaf, (low, high), mode)
        assert y.tolist() == x[..., at].tolist(), (low, high)
        y.sum().backward()
        assert leaf.grad is not None
        counts = np.bincount(at, minlength=n)
        assert leaf.grad.tolist() == np.broadcast_to(counts, x.shape).tolist(), (low, high)
        both = F.pad(rl.tensor(square), (low, high, high, low), mode)
        assert both.tolist() == square[:, _places(n, high, low, mode)][..., at].tolist(), (low, high)


@pytest.mark.parametrize("mode", ["reflect", "replicate"])
def test_order_of_memory(mode: str) -> None:
    """The same values wherever the elements lie, as many as vectors take and fewer."""
    x = rl.randn(2, 40, 9, 35)
    expected = F.pad(x, (2, 3, 1, 2), mode)
    for order in itertools.permutations(range(4)):
        lies = x.permute(order).contiguous().permute(np.argsort(order).tolist())
        assert rl.equal(F.pad(lies, (2, 3, 1, 2), mode), expected), order
