"""Marks for NVIDIA's profilers: there are none without CUDA, and every function says so, as PyTorch's do then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from rushlight.utils._absent import refused_by

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]


def _refuse(name: str) -> NoReturn:
    raise RuntimeError(f"cuda.nvtx.{name}(): there is no NVTX without CUDA; profiler.record_function marks ranges here")


_needs_device = refused_by(_refuse)


@_needs_device
def range_push(msg: str) -> int:
    """Begin a nested range."""


@_needs_device
def range_pop() -> int:
    """End the innermost range."""


@_needs_device
def range_start(msg: str) -> int:
    """Begin a range that may end anywhere."""


@_needs_device
def range_end(range_id: int) -> None:
    """End a range that `range_start` began."""


@_needs_device
def mark(msg: str) -> Any:
    """Mark a moment."""


@contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """A block as a range."""
    range_push(msg.format(*args, **kwargs))
    yield
