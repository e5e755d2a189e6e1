"""The accelerator of this machine, whichever kind it is: there is none here."""
from __future__ import annotations

from rushlight.core.tensor import device

__all__ = ["current_accelerator", "device_count", "is_available"]


def is_available() -> bool:
    """Whether there is an accelerator: no."""
    return False


def device_count() -> int:
    """The number of accelerators: 0."""
    return 0


def current_accelerator(check_available: bool = False) -> device | None:
    """The accelerator's device: None."""
    return None
