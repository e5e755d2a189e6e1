"""What Python makes of tensors, and the errors where it cannot: in compiled functions and below modes as anywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight.overrides import TorchFunctionMode

MADE: dict[str, Callable[[Any], Any]] = {
    "item": lambda t: t.item(),
    "float": float,
    "int": int,
    "complex": complex,
    "bool": bool,
    "index": lambda t: t.__index__(),
    "range": range,
    "list": lambda t: [1, 2, 3][t],
    "len": len,
    "format": lambda t: f"{t:.1f}",
    "percent": lambda t: f"{int(t):d}",
    "tolist": lambda t: t.tolist(),
    "in": lambda t: 1 in t,
    "abs": lambda t: float(abs(t)),
    "round": lambda t: round(float(t), 2),
}
GIVEN: list[Any] = [
    rl.tensor(1),
    rl.tensor([1]),
    rl.tensor([1, 2]),
    rl.tensor(1.0),
    rl.ones(2, 2),
    rl.zeros(0),
    rl.tensor([True]),
    rl.tensor(1 + 0j),
    rl.tensor(1 + 2j),
]


class Mode(TorchFunctionMode):
    """Sees every call, and changes none."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def found(f: Callable[[Any], Any], t: Any) -> Any:
    try:
        result = f(t)
    except Exception as error:
        return type(error), str(error)
    return type(result), repr(result)


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("given", range(len(GIVEN)))
def test_numbers_and_errors_are_the_same_everywhere(name: str, given: int) -> None:
    make, t = MADE[name], GIVEN[given]

    def of_result(t: Any) -> Any:
        return make(t.clone())

    want = found(make, t)
    for options in (None, {"always": True}):
        for f in (make, of_result):
            compiled: Any = rl.compile(f, options=options)
            for _ in range(3):
                assert found(compiled, t) == want
    with Mode():
        assert found(make, t) == want


def test_what_was_called_is_named() -> None:
    for n, f, error, words in [
        (2, rl.Tensor.item, RuntimeError, r"item\(\): a Tensor with 2 elements cannot be converted to Scalar"),
        (0, rl.Tensor.item, RuntimeError, r"item\(\): a Tensor with 0 elements cannot be converted to Scalar"),
        (2, float, ValueError, r"float\(\): .* found 2"),
        (3, int, ValueError, r"int\(\): .* found 3"),
    ]:
        for way in (f, rl.compile(lambda t, f=f: f(t + 1), options={"always": True})):
            with pytest.raises(error, match=words):
                way(rl.ones(n))
