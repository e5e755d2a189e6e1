"""OpenMP: not here; the library has its own thread pool."""

from __future__ import annotations

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether the library is there: no."""
    return False
