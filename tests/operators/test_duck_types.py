"""Objects that are no tensors but have `__torch_function__` take part in every call, as in PyTorch: each operator, each
tensor argument.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable
from typing import Any

import pytest

import rushlight
from rushlight.core.tensor import Tensor
from rushlight.operators.samples._registry import load
from rushlight.operators.table.define import TABLE, public
from rushlight.overrides import DisableTorchFunction, DisableTorchFunctionSubclass, TorchFunctionMode

SAMPLES = load()


class Duck:
    """Says who called; knows nothing else."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        assert cls in types
        return "seen", func


class Instance:
    """Its handler is no class method."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self.name


def _with_ducks(name: str) -> Any:
    """The first sample's arguments, and each of them that is a tensor, or a list of tensors, replaced in turn."""
    samples = SAMPLES[name]
    for sample in samples.samples(samples.dtypes[0])[:3]:
        args = list(sample.args)
        for i, a in enumerate(args):
            if isinstance(a, Tensor):
                yield [*args[:i], Duck(), *args[i + 1 :]], sample.kwargs
            elif isinstance(a, (list, tuple)) and a and all(isinstance(x, Tensor) for x in a):
                yield [*args[:i], [*a[:-1], Duck()], *args[i + 1 :]], sample.kwargs


def _in_place_of(x: Any) -> Any:
    """A number or a sequence of ints with a duck in the place of the number, or of the last one."""
    if isinstance(x, (int, float)) and not isinstance(x, bool):
        return Duck()
    if isinstance(x, (list, tuple)) and x and all(type(v) is int for v in x):
        return type(x)([*x[:-1], Duck()])
    return None


def _with_ducks_for_numbers(name: str) -> Any:
    """The first samples' arguments, and each of them that is a number or a sequence of ints replaced in turn."""
    samples = SAMPLES[name]
    for sample in samples.samples(samples.dtypes[0])[:6]:
        for i, a in enumerate(sample.args):
            if _in_place_of(a) is not None:
                yield [*sample.args[:i], _in_place_of(a), *sample.args[i + 1 :]], sample.kwargs
        for k, v in sample.kwargs.items():
            if _in_place_of(v) is not None:
                yield sample.args, {**sample.kwargs, k: _in_place_of(v)}
        if getattr(public(name), "takes_out", False):
            yield sample.args, {**sample.kwargs, "out": Duck()}


@pytest.mark.parametrize("ducks", [_with_ducks, _with_ducks_for_numbers])
@pytest.mark.parametrize("name", sorted(TABLE.keys() & SAMPLES.keys()))
def test_every_operator_asks_the_duck(name: str, ducks: Callable[[str], Any]) -> None:
    """One that stands for a number, too: so `zeros(x.size(0))` of a trace is a call of the trace."""
    op = public(name)
    for args, kwargs in ducks(name):
        found = op(*args, **kwargs)
        assert isinstance(found, tuple) and found[0] == "seen", found


def test_syntax() -> None:
    x = rushlight.ones(2)
    for found in (x + Duck(), x @ Duck(), x == Duck(), x < Duck(), x ** Duck()):
        assert found[0] == "seen"
    assert rushlight.add(x, Instance("a")) == "a"


def test_none_but_theirs() -> None:
    with pytest.raises(TypeError, match="exp"):
        rushlight.exp(object())
    with DisableTorchFunctionSubclass(), pytest.raises(TypeError, match="add"):
        rushlight.add(rushlight.ones(2), Duck())

    class Refuses(Duck):
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return NotImplemented

    with pytest.raises(TypeError, match="NotImplemented"):
        rushlight.exp(Refuses())


class OwnMethods:
    """Takes no part in the operators of tensors, and has methods of its own for Python's."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return NotImplemented


_REFLECTED = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
for _name in (*(f"r{name}" for name in _REFLECTED), *_MIRRORED):
    setattr(OwnMethods, f"__{_name}__", lambda self, other, name=_name: name)


@pytest.mark.parametrize("name", [*_REFLECTED, *_MIRRORED, *(f"i{name}" for name in _REFLECTED)])
def test_a_class_that_takes_no_part_is_asked_for_its_method(name: str) -> None:
    syntax = getattr(operator, f"__{name}__")
    x = rushlight.ones(2, dtype=rushlight.int64)
    expected = _MIRRORED.get(name) or f"r{name.removeprefix('i')}"
    assert syntax(x, OwnMethods()) == expected
    assert x.tolist() == [1, 1]
    with pytest.raises(TypeError, match="NotImplemented"):
        rushlight.add(x, OwnMethods())


def test_modes_come_first() -> None:
    class Mode(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return "mode", types

    with Mode():
        assert rushlight.exp(Duck()) == ("mode", (Duck,))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_no_mode_is_called_where_functions_are_off(depth: int) -> None:
    seen = []

    class Mode(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func)
            return func(*args, **(kwargs or {}))

    x = rushlight.ones(2)
    with contextlib.ExitStack() as stack:
        for _ in range(depth):
            stack.enter_context(Mode())
        with DisableTorchFunction():
            rushlight.exp(x)
        assert not seen
        rushlight.exp(x)
        assert len(seen) == depth
