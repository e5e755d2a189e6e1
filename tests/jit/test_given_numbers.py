"""Floats among the arguments of a traced function: given at launch, with the bits that they have in Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight.compiler import counters
from rushlight.func.tree import flatten

F = rl.nn.functional
VALUES = (0.5, 0.1, -0.0, 3.0, 1e-30, 0.7)


def same(got: Any, expected: Any) -> None:
    (a, shape), (b, expected_shape) = flatten(got), flatten(expected)
    assert shape == expected_shape
    for x, y in zip(a, b, strict=True):
        if isinstance(y, rl.Tensor):
            assert x.dtype == y.dtype and rl.equal(x.detach().view(rl.int32), y.detach().view(rl.int32))
        else:
            assert type(x) is type(y) and repr(x) == repr(y)


def _item(x: Any, v: Any) -> Any:
    y = x.clone()
    y[1] = v
    return y


# Without a new program for a new number.
GIVEN: dict[str, Callable[..., Any]] = {
    "product": lambda x, v: x * v,
    "step": lambda x, v: x - v * x.sin(),
    "arithmetic of numbers": lambda x, v: x * (v * 2 - 1) / (v + 3.0) - v**2,
    "alpha": lambda x, v: rl.add(x, x, alpha=v),
    "clamp": lambda x, v: x.clamp(min=v),
    "where": lambda x, v: rl.where(x > v, x, v),
    "slope": lambda x, v: F.leaky_relu(x, v),
    "in place": lambda x, v: x.mul_(v).add_(1.0),
    "returned": lambda x, v: (x + 1, v, v * 2),
    "filled": lambda x, v: x.masked_fill(x > 0, v),
    "item": lambda x, v: _item(x, v),
    "of integers": lambda x, v: x.gt(0).int() * v,
    "by name": lambda x, v: (lambda *, rate: x * rate)(rate=v),
}
# With one where that is needed.
ASKED: dict[str, Callable[..., Any]] = {
    "full": lambda x, v: x + rl.full((3,), v),
    "full_like": lambda x, v: x + rl.full_like(x, v),
    "full of a size": lambda x, v: rl.full((x.shape[0],), v),
    "tensor": lambda x, v: rl.tensor(v),
    "tensor of several": lambda x, v: rl.tensor([v, 1.0]),
    "as_tensor": lambda x, v: rl.as_tensor(v),
    "new_tensor": lambda x, v: x.new_tensor([v]),
    "linspace": lambda x, v: rl.linspace(0.0, v, 3),
    "where of numbers": lambda x, v: rl.where(x > 0, v, 0.0),
    "floor": lambda x, v: x * math.floor(v) + v // 0.3 + v % 0.25 + round(v, 1) + abs(v),
    "methods": lambda x, v: x * v.is_integer() + v.as_integer_ratio()[0],
    "branch": lambda x, v: x * v if v > 0.3 else x / 3,
    "root": lambda x, v: x * math.sqrt(abs(v)) if v >= 0 else x,
    "type": lambda x, v: x * v if isinstance(v, float) else x + rl.ones(3),
    "tensor or not": lambda x, v: x + v.mean() if isinstance(v, rl.Tensor) else x * v,
    "power": lambda x, v: x * (abs(v) ** 0.37),
    "key": lambda x, v: x * {0.5: 1.0, 0.1: 2.0}.get(v, 3.0),
    "text": lambda x, v: x * float(f"{v:.3f}"),
    "dropout": lambda x, v: F.dropout(x, min(abs(v), 1.0)),
}


@pytest.mark.parametrize("name", [*GIVEN, *ASKED])
def test_numbers(name: str) -> None:
    f = (GIVEN | ASKED)[name]
    traced = rl.jit(f)
    for again in range(2):
        for v in VALUES:
            results = []
            for g in (traced, f):
                x = rl.linspace(-1.0, 1.0, 3)
                rl.manual_seed(again)
                results.append((g(x, v), x))
            same(*results)


@pytest.mark.parametrize("name", GIVEN)
def test_a_new_number_compiles_nothing(name: str) -> None:
    traced = rl.jit(GIVEN[name])
    for _ in range(2):  # the second writes where it belongs what the first has copied
        traced(rl.linspace(-1.0, 1.0, 3), 0.25)
    before = counters.stats()["programs"]
    for v in VALUES:
        traced(rl.linspace(-1.0, 1.0, 3), v)
    assert counters.stats()["programs"] == before


def test_gradients() -> None:
    def f(x: Any, v: float, w: float) -> Any:
        return (x * v).tanh().sum() * w

    traced = rl.jit(f)
    for v in VALUES:
        x, y = (rl.linspace(-1.0, 1.0, 9, requires_grad=True) for _ in range(2))
        traced(x, v, w=2.5 * v).backward()
        f(y, v, w=2.5 * v).backward()
        same(x.grad, y.grad)


def test_numbers_that_are_none() -> None:
    traced = rl.jit(lambda x, v: x * v)
    for v in (math.inf, -math.inf, math.nan, 0.5, 2, True):
        same(traced(rl.ones(3), v), rl.ones(3) * v)


def test_an_error_is_the_functions_own() -> None:
    traced = rl.jit(lambda x, v: x.view(7) * v)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="must hold the 3 elements"):
            traced(rl.ones(3), 0.5)


def test_what_has_written_is_not_run_again() -> None:
    def f(x: Any, i: Any, v: float) -> Any:
        x.mul_(v)
        return rl.ones(3)[i]

    traced, good, bad = rl.jit(f), rl.tensor([1]), rl.tensor([7])
    x = rl.ones(4)
    for _ in range(3):  # the second call's program writes where it belongs
        traced(x, good, 2.0)
    before = counters.stats()["programs"]
    for _ in range(2):
        x = rl.ones(4)
        with pytest.raises(IndexError):
            traced(x, bad, 2.0)
        assert float(x[0]) in (1.0, 2.0)
        traced(x, good, 2.0)
    assert counters.stats()["programs"] == before
