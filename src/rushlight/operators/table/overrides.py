"""Calls that modes and the classes of the arguments do themselves, by `__torch_function__`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

from rushlight.core import locks
from rushlight.core import tensor as _core
from rushlight.operators.table import dispatch as _dispatch


def overrides_calls(x: Any) -> bool:
    """Whether the class of an argument is to be asked."""
    return _dispatch.overrides(type(x))


class _Passed(threading.local):
    next_question = False  # whether the next has_torch_function() says no: see redispatch_function()


_passed = _Passed()


def redispatch_function(
    func: Callable[..., Any], types: Iterable[type], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
) -> Any:
    """Call a function without asking classes and modes about this very call; what it calls inside asks them again.

    Args:
        func: an operator, or a function that asks has_torch_function() first.
        types, args, kwargs: as `__torch_function__` is given them.
    """
    if isinstance(func, FunctionType):
        _passed.next_question = True
        try:
            return func(*args, **(kwargs or {}))
        finally:
            _passed.next_question = False
    with locks.below(_dispatch.FUNCTIONS_OFF):
        return func(*args, **(kwargs or {}))


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether an argument's class, or a mode in force, wants to see the call."""
    if _passed.next_question:
        _passed.next_question = False
        return False
    if _core.modes_in_force() and any(mode.sees_functions for mode in _dispatch.modes.stack):
        return True
    return not _core.no_subclass() and any(overrides_calls(a) for a in relevant_args)


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """Let modes and the classes of the arguments do the call.

    Args:
        public_api: the function as the user called it.
        relevant_args: the arguments whose classes are asked, subclasses before their bases.

    Raises:
        TypeError: every class returns NotImplemented.
    """
    overloaded: list[Any] = []
    for a in relevant_args:
        if overrides_calls(a) and not any(type(a) is type(o) for o in overloaded):
            at = next((i for i, o in enumerate(overloaded) if issubclass(type(a), type(o))), len(overloaded))
            overloaded.insert(at, a)
    types = tuple(type(a) for a in overloaded)
    stack = _dispatch.modes.stack
    innermost = next((i for i in reversed(range(len(stack))) if stack[i].sees_functions), None)
    if innermost is not None and _core.modes_in_force():
        with locks.left(stack[innermost]) as mode:
            result = mode.__torch_function__(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    for a in overloaded:
        result = type(a).__torch_function__(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    name = f"{getattr(public_api, '__module__', '')}.{getattr(public_api, '__name__', public_api)}"
    raise TypeError(
        f"{name}(): no implementation found; __torch_function__ of {', '.join(t.__name__ for t in types)} returned "
        "NotImplemented"
    )
