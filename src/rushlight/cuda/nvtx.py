"""Marks for NVIDIA's profilers: there are none without CUDA, and every function says so, as PyTorch's do then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]


def _refuse(name: str) -> NoReturn:
    raise RuntimeError(f"cuda.nvtx.{name}(): there is no NVTX without CUDA; profiler.record_function marks ranges here")


def range_push(msg: str) -> int:
    """Begin a nested range."""
    _refuse("range_push")


def range_pop() -> int:
    """End the innermost range."""
    _refuse("range_pop")


def range_start(msg: str) -> int:
    """Begin a range that may end anywhere."""
    _refuse("range_start")


def range_end(range_id: int) -> None:
    """End a range that `range_start` began."""
    _refuse("range_end")


def mark(msg: str) -> Any:
    """Mark a moment."""
    _refuse("mark")


@contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """A block as a range."""
    range_push(msg.format(*args, **kwargs))
    yield
