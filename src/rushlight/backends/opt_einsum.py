"""Switches of how `einsum` orders its products: held for programs that set them. The order is that of the operands, or
what the caller says.
"""

from __future__ import annotations

from ._switch import flags_of

__all__ = ["enabled", "flags", "get_opt_einsum", "is_available", "strategy"]

enabled = False
strategy: str | None = None
flags = flags_of(__name__, ("enabled", "strategy"), freezes=False)


def is_available() -> bool:
    """Whether the package opt_einsum chooses the order: no."""
    return False


def get_opt_einsum() -> None:
    """The package opt_einsum, which is not used: None."""
    return
