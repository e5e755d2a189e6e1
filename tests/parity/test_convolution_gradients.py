"""`nn.grad`: gradients of convolutions from their sizes, as PyTorch's."""

from __future__ import annotations

import random
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the reference")
import rushlight as rl  # noqa: E402
from rushlight.nn import grad  # noqa: E402


def ours(x: Any) -> Any:
    return rl.tensor(x.numpy())


def close(a: Any, b: Any) -> bool:
    return tuple(a.shape) == tuple(b.shape) and bool(abs(a.numpy() - b.detach().numpy()).max() < 1e-10)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("n", [1, 2, 3])
def test_of_input_and_weight(n: int, seed: int) -> None:
    r = random.Random(seed)
    groups, channels, outputs, samples = r.choice([1, 2, 3]), r.choice([1, 2]), r.choice([1, 2]), r.choice([1, 2])
    s, p, d, k = ([r.choice(c) for _ in range(n)] for c in ([1, 2, 3], [0, 1, 2], [1, 2], [1, 2, 3]))
    space = [r.randint(d[i] * (k[i] - 1) + 1, 9) for i in range(n)]
    x = torch.randn(samples, groups * channels, *space, dtype=torch.float64)
    w = torch.randn(groups * outputs, channels, *k, dtype=torch.float64)
    y = getattr(torch.nn.functional, f"conv{n}d")(x, w, None, s, p, d, groups)
    g = torch.randn_like(y)
    of_input, of_weight = (f"conv{n}d_input", f"conv{n}d_weight")
    mine = getattr(grad, of_input)(tuple(x.shape), ours(w).requires_grad_(), ours(g), s, p, d, groups)
    assert close(getattr(torch.nn.grad, of_input)(x.shape, w, g, s, p, d, groups), mine)
    assert mine.requires_grad  # of the weight
    a, b = ours(x).requires_grad_(), ours(g).requires_grad_()
    mine = getattr(grad, of_weight)(a, tuple(w.shape), b, s, p, d, groups)
    assert close(getattr(torch.nn.grad, of_weight)(x, w.shape, g, s, p, d, groups), mine)
    of_a, of_b = rl.autograd.grad(mine, (a, b), ours(w))  # it is linear in both, and the convolution's transpose
    assert close(getattr(torch.nn.grad, of_input)(x.shape, w, g, s, p, d, groups), of_a)
    assert close(y, of_b)


def test_sizes_without_such_a_result_are_refused() -> None:
    w, g = rl.ones(2, 1, 3), rl.ones(1, 2, 4)
    with pytest.raises(RuntimeError, match=r"conv1d_input\(\): 'input_size' must be of sizes between \[6\] and \[6\]"):
        grad.conv1d_input((1, 1, 9), w, g)
    with pytest.raises(RuntimeError, match=r"conv1d_input\(\): 'input_size' must be 3 sizes; found \[1, 1\]"):
        grad.conv1d_input((1, 1), w, g)
    with pytest.raises(RuntimeError, match=r"conv1d_input\(\): 'stride' must be one int or 1 of them; found \[1, 1\]"):
        grad.conv1d_input((1, 1, 6), w, g, (1, 1))
    for groups in (0, 2):
        with pytest.raises(RuntimeError, match=r"conv1d_weight\(\): 'weight_size' must have 1 channels over"):
            grad.conv1d_weight(rl.ones(1, 1, 6), (2, 1, 3), g, groups=groups)
    with pytest.raises(RuntimeError, match=r"conv1d_weight\(\): 'grad_output' must be of the shape \[1, 2, 4\]"):
        grad.conv1d_weight(rl.ones(1, 1, 6), (2, 1, 3), rl.ones(1, 2, 5))
