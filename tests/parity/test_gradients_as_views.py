"""Gradients of joined tensors are parts of the cotangent's memory, as PyTorch's are; `.grad` has memory of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

JOINS: dict[str, Callable[[Any, list[Any]], Any]] = {
    "cat": lambda m, ts: m.cat(ts),
    "cat of columns": lambda m, ts: m.cat(ts, 1),
    "stack": lambda m, ts: m.stack(ts),
    "stack of elements": lambda m, ts: m.stack(ts, -1),
    "hstack": lambda m, ts: m.hstack(ts),
}


def _lies(m: Any, name: str, size: tuple[int, int]) -> list[Any]:
    leaves = [m.from_numpy(np.ones(size)).requires_grad_() for _ in range(3)]
    y = JOINS[name](m, leaves)
    g = m.from_numpy(np.arange(float(np.prod(tuple(y.shape)))).reshape(tuple(y.shape)))
    found = m.autograd.grad(y, leaves, g)
    return [(x.data_ptr() - g.data_ptr(), tuple(x.stride()), x.tolist()) for x in found]


@pytest.mark.parametrize("size", [(3, 4), (300, 400)])
@pytest.mark.parametrize("name", JOINS)
def test_where_gradients_lie(name: str, size: tuple[int, int]) -> None:
    assert _lies(rushlight, name, size) == _lies(torch, name, size)


@pytest.mark.parametrize("name", JOINS)
def test_accumulating_writes_to_grad_alone(name: str) -> None:
    leaves = [rushlight.ones(3, 4, requires_grad=True) for _ in range(3)]
    y = JOINS[name](rushlight, [*leaves, leaves[0]])
    g = rushlight.randn(y.shape)
    before = g.clone()
    y.backward(g, retain_graph=True)
    y.backward(g)
    assert rushlight.equal(g, before)
    leaves[0].grad.zero_()
    assert rushlight.equal(g, before)
    assert all(bool((x.grad != 0).any()) for x in leaves[1:])
