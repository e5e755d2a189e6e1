"""The names of `torch.mps` that portable programs ask: there is no such device here, and what needs one raises
RuntimeError.
"""

from __future__ import annotations

from typing import NoReturn

from rushlight.utils._absent import refused_by
from rushlight.utils._no_device import device_count, is_available, manual_seed, seed

__all__ = [
    "current_allocated_memory",
    "device_count",
    "driver_allocated_memory",
    "empty_cache",
    "is_available",
    "manual_seed",
    "recommended_max_memory",
    "seed",
    "synchronize",
]


def _refuse(name: str) -> NoReturn:
    raise RuntimeError(
        f"mps.{name}(): Cannot execute {name}() without MPS backend; ask backends.mps.is_available() first"
    )


_needs_device = refused_by(_refuse)


@_needs_device
def synchronize() -> None:
    """Wait for the device."""


@_needs_device
def empty_cache() -> None:
    """Give the allocator's unused device memory back."""


@_needs_device
def current_allocated_memory() -> int:
    """Bytes of device memory in tensors."""


@_needs_device
def driver_allocated_memory() -> int:
    """Bytes of device memory held by the driver."""


@_needs_device
def recommended_max_memory() -> int:
    """Bytes of device memory that a program should take at most."""
