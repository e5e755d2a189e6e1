"""Below a compiled function a class of the program's own is asked what it is asked in eager mode: the same functions,
by the same names, with the arguments as they were written, and no attribute besides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight.nn import functional as F


class Foreign:
    """No tensor; it answers every call with what it was asked."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        shown = [type(x).__name__ for x in args], {k: type(v).__name__ for k, v in (kwargs or {}).items()}
        return func, *shown


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "relu of the package": lambda x, o: rl.relu(o),
    "relu of nn.functional": lambda x, o: F.relu(o),
    "relu in place": lambda x, o: F.relu(o, inplace=True),
    "softmax": lambda x, o: F.softmax(o, -1),
    "add": lambda x, o: rl.add(x, o, alpha=2),
    "where": lambda x, o: rl.where(x > 0, x, o),
    "cat": lambda x, o: rl.cat([x, o]),
    "clamp": lambda x, o: rl.clamp(x, min=o),
    "linear": lambda x, o: F.linear(x, o),
    "dropout": lambda x, o: F.dropout(o, 0.5, training=False),
    "a size": lambda x, o: rl.roll(x, o),
    "a number": lambda x, o: rl.full((2,), o),
    "syntax": lambda x, o: x * 2 + o,
}


@pytest.mark.parametrize("name", CALLS)
def test_a_class_that_is_no_tensor(name: str) -> None:
    def f(x: Any, other: Any) -> Any:
        warm = F.relu(F.softmax(x * 2, -1)) + F.linear(x, x) + rl.relu(x) + F.dropout(x, 0.5, training=False)
        return CALLS[name](warm, other)

    x, other = rl.ones(2, 2), Foreign()
    expected = f(x, other)
    compiled = rl.compile(f)
    for _ in range(4):
        assert compiled(x, other) == expected


class Watched(rl.Tensor):
    """A tensor that notes what it is asked."""

    asked: list[str] = []

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.asked.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})


def test_a_class_of_tensors_is_asked_for_nothing_more() -> None:
    def f(x: Any) -> Any:
        y = (x @ x).sum(0) + 1
        z = rl.cat([y, y * 2, rl.ones(2)]).view(3, 2)
        return z.softmax(-1), x[0], rl.stack((x, x))

    x = rl.ones(2, 2).as_subclass(Watched)
    Watched.asked.clear()
    f(x)
    expected = list(Watched.asked)
    compiled = rl.compile(f)
    for _ in range(4):
        Watched.asked.clear()
        compiled(x)
        assert Watched.asked == expected
