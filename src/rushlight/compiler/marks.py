"""What programs ask of `torch.compiler`: marks on functions for a whole-program compiler, which there is not yet."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["allow_in_graph", "assume_constant_result", "disable", "is_compiling", "is_dynamo_compiling"]


def is_compiling() -> bool:
    """Whether a whole-program compiler runs this function: never."""
    return False


is_dynamo_compiling = is_compiling


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Keep a function out of whole-program compilation: the function itself. A decorator, with or without arguments."""
    return (lambda f: f) if fn is None else fn


def allow_in_graph(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself."""
    return fn


def assume_constant_result(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself."""
    return fn
