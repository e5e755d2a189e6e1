"""The node of a program has the name that the last of its calls' nodes would have, which `print` shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl

F = rl.nn.functional
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "add": lambda x: x.exp() * 2 + 1,
    "product": lambda x: (x * 2) @ x.t(),
    "mean": lambda x: (x.sin() * x).mean(),
    "mean of rows": lambda x: (x.sin() * x).mean(1),
    "layer_norm": lambda x: F.layer_norm(x * 2, (3,)),
    "in place": lambda x: (x * 2).add_(1).relu_(),
    "masked": lambda x: (x * 2).masked_fill_(x.detach() > 0, 1.0),
    "view": lambda x: (x * 2 + 1).t(),
    "part": lambda x: (x * 2 + 1)[0],
    "unused": lambda x: ((x * 2 + 1), x.detach() * 3)[0],
    "cross_entropy": lambda x: F.cross_entropy(x * 2, rl.tensor([0, 2])),
}


def assigned(x: Any) -> Any:
    y = x * 2 + 1
    y[0] = 3.0
    return y


FUNCTIONS["assigned"] = assigned


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("options", [None, {"always": True}], ids=["default", "always"])
def test_names_and_what_is_printed(name: str, options: Any) -> None:
    f = FUNCTIONS[name]
    compiled: Any = rl.compile(f, options=options)
    for k in range(3):
        x = rl.linspace(-1, 1, 6).reshape(2, 3) * (k + 1)
        y, z = (g(x.clone().requires_grad_()) for g in (f, compiled))
        assert z.grad_fn.name() == y.grad_fn.name()
        assert repr(z) == repr(y)


def test_two_results_have_two_names() -> None:
    def f(x: Any) -> Any:
        y = x.exp() + 1
        return y, (y * 2).tanh(), (x - 1).cos().sum()

    compiled: Any = rl.compile(f, options={"always": True})
    for _ in range(3):
        x = rl.ones(2, 3, requires_grad=True)
        assert [t.grad_fn.name() for t in compiled(x)] == [t.grad_fn.name() for t in f(x)]
