"""The mark of functions whose names and parameters PyTorch promises to keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

__all__ = ["compatibility"]

T = TypeVar("T")


def compatibility(is_backward_compatible: bool) -> Callable[[T], T]:
    """A decorator that returns the function itself: the mark is for PyTorch's own tests.

    Args:
        is_backward_compatible: whether older calls of the function go on working.
    """
    return lambda fn: fn
