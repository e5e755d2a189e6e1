"""Names that programs import, or ask `isinstance` for, of what is not here: using one raises an error that says so."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, NoReturn, ParamSpec, TypeVar

from rushlight.core.naming import named

__all__ = ["absent_class", "absent_function", "absent_names", "refused_by"]

P = ParamSpec("P")
R = TypeVar("R")


def absent_class(name: str, module: str, why: str, error: type[Exception] = RuntimeError) -> type[Any]:
    """A class to derive from and to ask `isinstance` for; making an object of it raises `error`."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        raise error(f"{name}(): {why}")

    doc = f"Not there: making one raises {error.__name__}."
    return type(name, (), {"__init__": __init__, "__module__": module, "__doc__": doc})


def absent_function(name: str, module: str, why: str, error: type[Exception] = RuntimeError) -> Callable[..., NoReturn]:
    """A function whose every call raises `error`."""

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise error(f"{name}(): {why}")

    return named(refuse, name, f"Not there: {error.__name__}.", module=module)


def refused_by(refuse: Callable[[str], NoReturn]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator of a function without a body, whose calls are checked by its signature, and then refused.

    Args:
        refuse: raises the error for a function of that name.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def refused(*args: P.args, **kwargs: P.kwargs) -> R:
            function(*args, **kwargs)
            refuse(function.__name__)

        return refused

    return decorate


def absent_names(
    module: str,
    why: str,
    classes: Iterable[str] = (),
    functions: Iterable[str] = (),
    error: type[Exception] = RuntimeError,
) -> dict[str, Any]:
    """Many of them, by name."""
    found: dict[str, Any] = {name: absent_class(name, module, why, error) for name in classes}
    found.update({name: absent_function(name, module, why, error) for name in functions})
    return found
