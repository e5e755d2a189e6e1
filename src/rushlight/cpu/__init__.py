"""The names of `torch.cpu`: the one device that is always there."""

from __future__ import annotations

from typing import Any

from rushlight.cpu import amp

__all__ = ["amp", "current_device", "device_count", "is_available", "is_initialized", "set_device", "synchronize"]


def is_available() -> bool:
    """Whether there is a CPU."""
    return True


def is_initialized() -> bool:
    """Whether it is ready: always."""
    return True


def device_count() -> int:
    """The number of CPU devices: 1."""
    return 1


def current_device() -> str:
    """The current device's name."""
    return "cpu"


def set_device(device: Any) -> None:
    """Accepted: there is one device."""


def synchronize(device: Any = None) -> None:
    """Wait until the device has finished: calls return when they have."""
