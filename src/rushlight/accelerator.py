"""The accelerator of this machine, of whatever kind: there is none here."""

from __future__ import annotations

from typing import Any, NoReturn

from rushlight.core.tensor import device
from rushlight.operators.table.types import Device
from rushlight.utils._absent import refused_by
from rushlight.utils._no_device import device_count, empty_cache, is_available

__all__ = [
    "AcceleratorError",
    "current_accelerator",
    "current_device_idx",
    "current_device_index",
    "current_stream",
    "device_count",
    "device_index",
    "empty_cache",
    "is_available",
    "set_device_idx",
    "set_device_index",
    "set_stream",
    "synchronize",
]


class AcceleratorError(RuntimeError):
    """A failure of an accelerator. Never raised here."""


def current_accelerator(check_available: bool = False) -> device | None:
    """The accelerator's device: None."""
    return None


def _refuse(name: str) -> NoReturn:
    raise RuntimeError(
        f"accelerator.{name}(): there must be an accelerator, and there is none; ask accelerator.is_available() first"
    )


_needs_device = refused_by(_refuse)


@_needs_device
def current_device_index() -> int:
    """The number of the current device."""


class device_index:
    """A block in which a device is the current one; None changes nothing.

    Args:
        device: its number, or None.
    """

    def __init__(self, device: int | None, /) -> None:
        self.idx = device

    def __enter__(self) -> None:
        if self.idx is not None:
            if not hasattr(type(self.idx), "__index__"):
                raise TypeError(f"device_index(): 'device' must be an int or None; found {type(self.idx).__name__}")
            _refuse("device_index")

    def __exit__(self, *exc: object) -> None:
        """Nothing was changed."""


def set_device_index(device: Device, /) -> None:
    """Make a device the current one; a negative number changes nothing."""
    if not (isinstance(device, int) and device < 0):
        _refuse("set_device_index")


@_needs_device
def current_stream(device: Device = None, /) -> Any:
    """The device's current stream."""


@_needs_device
def set_stream(stream: Any) -> None:
    """Make a stream the current one."""


@_needs_device
def synchronize(device: Device = None, /) -> None:
    """Wait for the device."""


current_device_idx, set_device_idx = current_device_index, set_device_index


def get_device_module(device: Device = None) -> Any:
    """The module of a kind of device: `torch.cpu` for the CPU and where none is named.

    Args:
        device: a device or its name.
    """
    import rushlight

    kind = rushlight.device("cpu" if device is None else device).type
    found = getattr(rushlight, kind, None)
    if found is None:
        raise RuntimeError(f"get_device_module(): there is no module torch.{kind}")
    return found
