"""Where several cotangents of a tensor meet, a traced function sums them as the graph does: gradients have its bits."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight.nn import functional as F

ONE: list[Callable[[Any], Any]] = [
    rl.sin,
    rl.tanh,
    rl.sigmoid,
    F.gelu,
    lambda x: F.softmax(x, -1),
    lambda x: F.layer_norm(x, (6,)),
    lambda x: x * 0.7,
    lambda x: x.cumsum(0) / 3,
    lambda x: x.flip(0),
    lambda x: x * x,
    lambda x: rl.stack([x, x, x]).mean(0),
    lambda x: F.pad(x[1:], (0, 0, 0, 1)),
    lambda x: rl.cat([x[:2], x[2:]]),
    lambda x: x.t().contiguous().t(),
    lambda x: x.view(2, 2, 6).transpose(0, 1).reshape(4, 6),
]
TWO: list[Callable[[Any, Any], Any]] = [
    rl.add,
    rl.mul,
    lambda x, y: x / (y * y + 1),
    rl.maximum,
    lambda x, y: x @ y.t() @ x / 10,
    lambda x, y: rl.addcmul(x, y, x),
    lambda x, y: rl.where(x > y, x * y, x + y),
    lambda x, y: x + y.mean(0),
    lambda x, y: x + y[0],
]


def program(seed: int) -> Callable[[Any, Any], Any]:
    """A function of many operators whose values are used again and again."""
    pick = random.Random(seed)
    steps = [(pick.random() < 0.5, pick.random(), pick.random(), pick.random()) for _ in range(14)]

    def run(x: Any, y: Any) -> Any:
        values = [x, y]
        for one, which, first, second in steps:
            a, b = (values[int(len(values) * p**1.5)] for p in (first, second))
            if one:
                values.append(ONE[int(len(ONE) * which)](a))
            else:
                values.append(TWO[int(len(TWO) * which)](a, b))
        total = values[-1]
        for v in values[2:-1]:
            total = total + v * 0.1
        return total

    return run


@pytest.mark.parametrize("seed", range(60))
def test_gradients_of_values_that_are_used_often(seed: int) -> None:
    f = program(seed)
    rl.manual_seed(seed)
    x, y = rl.randn(4, 6, requires_grad=True), rl.randn(4, 6, requires_grad=True)
    expected, got = f(x, y), rl.jit(f)(x, y)
    assert rl.equal(got, expected)
    ct = rl.randn(4, 6)
    for a, b in zip(
        rl.autograd.grad(got, [x, y], ct, allow_unused=True),
        rl.autograd.grad(expected, [x, y], ct, allow_unused=True),
        strict=True,
    ):
        assert (a is None) == (b is None)
        assert a is None or rl.equal(a, b), (a - b).abs().max()
