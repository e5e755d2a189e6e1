"""Intel's MKL: not here; products go to OpenBLAS."""

from __future__ import annotations

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether the library is there: no."""
    return False
