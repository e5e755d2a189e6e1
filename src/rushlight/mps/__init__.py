"""The names of `torch.mps` that portable programs ask: there is no such device here, and what needs one raises
RuntimeError.
"""

from __future__ import annotations

from typing import NoReturn

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


def synchronize() -> None:
    """Wait for the device."""
    _refuse("synchronize")


def empty_cache() -> None:
    """Give the allocator's unused device memory back."""
    _refuse("empty_cache")


def current_allocated_memory() -> int:
    """Bytes of device memory in tensors."""
    _refuse("current_allocated_memory")


def driver_allocated_memory() -> int:
    """Bytes of device memory held by the driver."""
    _refuse("driver_allocated_memory")


def recommended_max_memory() -> int:
    """Bytes of device memory that a program should take at most."""
    _refuse("recommended_max_memory")
