"""Names of functions that other functions make, and properties that have another name elsewhere."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


def named(
    function: F,
    name: str,
    doc: str | None = None,
    *,
    owner: str = "",
    module: str | None = "",
    parameters: Sequence[str] = (),
) -> F:
    """A function that was made, not written out, under its own name.

    Args:
        function: it gets the name.
        name: what it is called.
        doc: its docstring; None: the one it has.
        owner: the class of which it says that it is a method.
        module: that of which it says that it stands there; None for what is built in, "" for the one it has.
        parameters: what its first parameters are called, by position and by keyword.

    Returns:
        The same function.
    """
    function.__name__, function.__qualname__ = name, f"{owner}.{name}" if owner else name
    function.__doc__ = doc or function.__doc__
    if module != "":
        function.__module__ = module  # type: ignore[assignment]
    if parameters:
        code, notes = function.__code__, function.__annotations__
        before = code.co_varnames[: len(parameters)]
        function.__code__ = code.replace(co_varnames=(*parameters, *code.co_varnames[len(parameters) :]), co_name=name)
        function.__annotations__ = {dict(zip(before, parameters, strict=True)).get(k, k): v for k, v in notes.items()}
    return function


def reads(path: str, kind: type[T], doc: str | None = None) -> T:
    """A property that reads another attribute: `host = reads("_host", str, "The name of the host.")`.

    Args:
        path: the attribute's name, or several with dots between them: `base_dist.mean`.
        kind: its type.
        doc: the property's docstring; None: a base class has it.

    Returns:
        The property. Type checkers take it for what it reads.
    """
    read = operator.attrgetter(path)

    def get(self: Any) -> Any:
        return read(self)

    get.__annotations__["return"] = kind
    get.__doc__ = doc
    made: Any = property(get)
    return made


def made_by_name(module: str, make: Callable[[str], Any]) -> Callable[[str], Any]:
    """The `__getattr__` of a module that has every attribute that it is asked for, except for Python's own names.

    Args:
        module: what errors call it.
        make: makes an attribute of its name.
    """

    def __getattr__(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        return make(name)

    return __getattr__
