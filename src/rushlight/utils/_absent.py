"""Names that programs import, or ask `isinstance` for, of what is not here: using one raises an error that says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from rushlight.core.naming import named

__all__ = ["absent_class", "absent_function", "absent_names"]


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
