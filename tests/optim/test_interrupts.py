"""An interrupt at any line of an optimizer's step leaves whole states, or none begun, and the next step works."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

import rushlight
from rushlight import optim

ROOM = os.path.dirname(optim.__file__)
MORE: dict[str, dict[str, Any]] = {
    "SGD": {"momentum": 0.9},
    "RMSprop": {"momentum": 0.9, "centered": True},
    "Adam": {"amsgrad": True},
    "LBFGS": {"line_search_fn": "strong_wolfe", "history_size": 2, "max_iter": 4},
}
BEGUN = {"LBFGS": {"al", "func_evals", "n_iter"}}  # states before there is a direction
NAMES = [
    name
    for name, value in sorted(vars(optim).items())
    if isinstance(value, type) and issubclass(value, optim.Optimizer) and value is not optim.Optimizer
]


class Interrupted(BaseException):
    """What is raised at a line."""


def interrupted_at(line: int, call: Callable[[], Any]) -> bool:
    """Raise at the n-th line of an optimizer that a call comes to; whether there are so many."""
    left = [line]

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        if not frame.f_code.co_filename.startswith(ROOM):
            return None
        if event == "line":
            left[0] -= 1
            if not left[0]:
                raise Interrupted
        return trace

    sys.settrace(trace)
    try:
        call()
    except Interrupted:
        return True
    finally:
        sys.settrace(None)
        rushlight.set_grad_enabled(True)  # a tracer, unlike a signal, comes between a block's end and its `__exit__`
    return False


class World:
    """Two matrices, an optimizer of theirs, and its step."""

    def __init__(self, name: str) -> None:
        rushlight.manual_seed(0)
        self.params = [rushlight.randn(2, 3).requires_grad_() for _ in range(2)]
        self.optimizer = getattr(optim, name)(self.params, **MORE.get(name, {}))
        self.closure = self.loss if name == "LBFGS" else None
        for p in self.params:
            p.grad = rushlight.randn(2, 3).to_sparse() if name == "SparseAdam" else rushlight.randn(2, 3)

    def loss(self) -> Any:
        """A function of the parameters that is no quadratic."""
        self.optimizer.zero_grad()
        with rushlight.enable_grad():
            total = sum((p.square().sum() + p.cos().sum() for p in self.params), rushlight.zeros(()))
            total.backward()
        return total

    def step(self) -> None:
        """One step."""
        self.optimizer.step(self.closure) if self.closure else self.optimizer.step()

    def names(self) -> list[set[str]]:
        """The names of each parameter's states."""
        return [set(self.optimizer.state.get(p, {})) for p in self.params]


@pytest.mark.parametrize("name", NAMES)
def test_an_interrupt_at_any_line_leaves_whole_states(name: str) -> None:
    plain = World(name)
    plain.step()
    whole = [set(), BEGUN.get(name, set()), *plain.names()]
    begun, line = 0, 0
    while begun < 3:  # in the first step, the second, the third
        line += 1
        world = World(name)
        for _ in range(begun):
            world.step()
        if not interrupted_at(line, world.step):
            begun, line = begun + 1, 0
            continue
        assert all(found in whole for found in world.names()), f"line {line}: {world.names()}"
        world.step()
        assert world.names() == plain.names(), f"line {line}"
