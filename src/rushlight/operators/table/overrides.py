"""Calls that modes and the classes of the arguments do themselves, by `__torch_function__`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rushlight.core import tensor as _core
from rushlight.operators.table import dispatch as _dispatch


def overrides_calls(x: Any) -> bool:
    """Whether the class of an argument is to be asked."""
    return _dispatch.overrides(type(x))


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether an argument's class, or a mode in force, wants to see the call."""
    if _core.in_modes() and any(mode.sees_functions for mode in _dispatch.modes.stack):
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
    if innermost is not None and _core.in_modes():
        mode = stack.pop(innermost)
        _core.add_modes(-1)
        _core.add_readers(-int(hasattr(mode, "sees_attributes")))
        try:
            result = mode.__torch_function__(public_api, types, args, kwargs)
        finally:
            stack.insert(innermost, mode)
            _core.add_modes(1)
            _core.add_readers(int(hasattr(mode, "sees_attributes")))
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
