"""What a subclass may override: a constructor (and a call of the module) calls the same public methods of the object as
PyTorch's.

A package's class gives `update`, `add` or `build` a meaning of its own, or sets what its `reset_parameters` needs after
`super().__init__()`.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import pytest
from tests.parity.test_nn import CASES, Case, ids

import rushlight

torch = pytest.importorskip("torch")

SKIPPED = (
    "forward",
    "register_parameter",
    "register_buffer",
    "register_module",
    "add_module",
    "apply",
    "children",
    "named_children",
    "modules",
    "named_modules",
    # overridden by nobody, and what they are called for is no contract
    "parameters",
    "named_parameters",
    "buffers",
    "named_buffers",
    "flatten_parameters",
)


def recording(cls: type[Any], seen: set[str]) -> type[Any]:
    """A subclass whose own public methods note that they are called."""
    space: dict[str, Any] = {}
    for name in {n for base in cls.__mro__ for n in vars(base) if not n.startswith("_")} - set(SKIPPED):
        method = getattr(cls, name)
        if callable(method) and not isinstance(
            next(vars(b)[name] for b in cls.__mro__ if name in vars(b)), (staticmethod, classmethod, type)
        ):

            def call(self: Any, *args: Any, _name: str = name, _method: Any = method, **kwargs: Any) -> Any:
                seen.add(_name)
                return _method(self, *args, **kwargs)

            space[name] = call
    return type(cls.__name__, (cls,), space)


def called(lib: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> set[str]:
    seen: set[str] = set()
    recording(getattr(lib.nn, name), seen)(*args, **kwargs)
    return seen


ONCE = list({c.name: c for c in CASES}.values())


@pytest.mark.parametrize("c", ONCE, ids=ids)
def test_constructors_call_the_methods_that_pytorchs_call(c: Case) -> None:
    assert called(rushlight, c.name, c.args, c.kwargs) == called(torch, c.name, c.args, c.kwargs)


@pytest.mark.parametrize("name", ["Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"])
@pytest.mark.parametrize("full", [False, True])
def test_containers_call_the_methods_that_pytorchs_call(name: str, full: bool) -> None:
    def arguments(lib: Any) -> tuple[Any, ...]:
        if not full:
            return ()
        members: Any = (
            [lib.nn.ReLU(), lib.nn.Tanh()]
            if name in ("Sequential", "ModuleList", "ModuleDict")
            else [lib.ones(2), lib.ones(1)]
        )
        return (
            tuple(members)
            if name == "Sequential"
            else (OrderedDict(zip("ab", members, strict=True)) if name.endswith("Dict") else members,)
        )

    assert called(rushlight, name, arguments(rushlight), {}) == called(torch, name, arguments(torch), {})


@pytest.mark.parametrize(
    "name",
    [
        "SGD",
        "Adam",
        "AdamW",
        "Adagrad",
        "Adadelta",
        "Adamax",
        "ASGD",
        "NAdam",
        "RAdam",
        "RMSprop",
        "Rprop",
        "LBFGS",
        "Adafactor",
    ],
)
def test_optimizers_call_the_methods_that_pytorchs_call(name: str) -> None:
    def called_by(lib: Any) -> set[str]:
        seen: set[str] = set()
        p = lib.nn.Parameter(lib.ones(2, 2))
        optimizer = recording(getattr(lib.optim, name), seen)([p])
        p.grad = lib.ones(2, 2)
        optimizer.step(lambda: (p * p).sum())
        optimizer.zero_grad()
        return seen

    assert called_by(rushlight) - {"profile_hook_step"} == called_by(torch) - {"profile_hook_step"}
