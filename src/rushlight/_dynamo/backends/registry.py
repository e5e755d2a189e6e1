"""The names of functions that run the graphs of compiled functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from rushlight._dynamo.exc import InvalidBackend
from rushlight.compiler.marks import BACKENDS, REGISTERED, list_backends

__all__ = ["list_backends", "lookup_backend", "register_backend", "register_debug_backend"]

Backend = Callable[..., Any]


def register_backend(compiler_fn: Backend | None = None, name: str | None = None, tags: Sequence[str] = ()) -> Any:
    """Let `torch.compile(backend=name)` hand a function's graphs to `compiler_fn`. A decorator, with or without
    arguments.

    Args:
        compiler_fn: gets an `fx.GraphModule` and a list of example inputs, and returns what is called in its place.
        name: the function's own if it is None.
        tags: words by which `list_backends` leaves it out.

    Returns:
        The function.

    Raises:
        AssertionError: it is no function, or the name is taken.
    """
    if compiler_fn is None:
        return functools.partial(register_backend, name=name, tags=tags)
    if not callable(compiler_fn):
        raise AssertionError(
            f"register_backend(): 'compiler_fn' must be a function; found {type(compiler_fn).__name__}"
        )
    name = name or compiler_fn.__name__
    if name in BACKENDS or name in REGISTERED:
        raise AssertionError(f"register_backend(): 'name' must be a new one; found {name!r}, which is taken")
    REGISTERED[name] = compiler_fn, frozenset(tags)
    return compiler_fn


register_debug_backend = functools.partial(register_backend, tags=("debug",))


def _as_it_is(gm: Any, example_inputs: Sequence[Any], **options: Any) -> Any:
    """The graph itself, whose operators are called one by one."""
    return gm.forward


def lookup_backend(compiler_fn: str | Backend) -> Backend:
    """The function of a name; that of a name which `torch.compile` knows itself calls the graph's operators.

    Raises:
        InvalidBackend: no function has the name.
    """
    if not isinstance(compiler_fn, str):
        return compiler_fn
    if compiler_fn in REGISTERED:
        return REGISTERED[compiler_fn][0]
    if compiler_fn not in BACKENDS:
        raise InvalidBackend(compiler_fn)
    return _as_it_is
