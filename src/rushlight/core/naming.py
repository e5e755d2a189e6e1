"""Names of functions that other functions make, other defaults, and properties that have another name elsewhere."""

from __future__ import annotations

import operator
import types
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


def with_defaults(**defaults: Any) -> Callable[[type[T]], type[T]]:
    """Decorate a class that takes the arguments of its base, some of them with other defaults.

    Args:
        defaults: those of the constructor that are not the base's, by the names of its positional arguments.

    Raises:
        TypeError: the base's constructor has no such argument, or one behind it has no default.
    """

    def decorate(cls: type[T]) -> type[T]:
        made: Any = cls
        of = made.__init__
        names, ends = of.__code__.co_varnames[: of.__code__.co_argcount], of.__defaults__ or ()
        usual = dict(zip(names[len(names) - len(ends) :], ends, strict=True)) | defaults
        held = [name for name in names if name in usual]
        if held != list(names[-len(usual) :]):
            raise TypeError(f"{cls.__name__}: the last of the arguments {names} must have defaults; found {[*usual]}")
        function = types.FunctionType(of.__code__, of.__globals__, "__init__", None, of.__closure__)
        function.__defaults__ = tuple(usual[name] for name in held)
        function.__kwdefaults__, function.__annotations__ = of.__kwdefaults__, of.__annotations__
        made.__init__ = named(function, "__init__", owner=cls.__qualname__, module=cls.__module__)
        return cls

    return decorate


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
    return made  # type: ignore[no-any-return]


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
