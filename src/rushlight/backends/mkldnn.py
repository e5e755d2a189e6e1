"""oneDNN: not here; the compiler's own kernels and OpenBLAS do its work."""

from __future__ import annotations

from ._switch import flags_of

__all__ = ["enabled", "flags", "is_available"]

enabled = False
flags = flags_of(__name__, ("enabled",))


def is_available() -> bool:
    """Whether the library is there: no."""
    return False
