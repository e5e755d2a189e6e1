"""Functions of the namespaces of devices that are not there, one for all devices: they answer questions, and accept
settings without effect."""

from __future__ import annotations

from typing import Any

from rushlight.operators.table.types import Device

__all__ = [
    "device_count",
    "empty_cache",
    "get_rng_state_all",
    "is_available",
    "is_bf16_supported",
    "is_current_stream_capturing",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "reset_peak_memory_stats",
    "seed",
    "seed_all",
]


def is_available() -> bool:
    """Whether there is such a device: no."""
    return False


def is_initialized() -> bool:
    """Whether it has been initialized: no."""
    return False


def is_current_stream_capturing() -> bool:
    """Whether a graph of the device's work is being captured: no."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether the device computes in bfloat16: there is none."""
    return False


def device_count() -> int:
    """The number of devices: 0."""
    return 0


def memory_allocated(device: Device = None) -> int:
    """Bytes of device memory in tensors: 0."""
    return 0


def max_memory_allocated(device: Device = None) -> int:
    """The most bytes of device memory in tensors: 0."""
    return 0


def memory_reserved(device: Device = None) -> int:
    """Bytes of device memory held by the allocator: 0."""
    return 0


def max_memory_reserved(device: Device = None) -> int:
    """The most bytes of device memory held by the allocator: 0."""
    return 0


def memory_stats(device: Device = None) -> dict[str, Any]:
    """What the allocator of device memory has counted: nothing."""
    return {}


def reset_peak_memory_stats(device: Device = None) -> None:
    """Begin counting the most memory anew: none is counted."""


def empty_cache() -> None:
    """Give the allocator's unused device memory back: there is none."""


def manual_seed(seed: int) -> None:
    """Seed the current device's generator: there is none, so only the argument is checked."""
    int(seed)


def manual_seed_all(seed: int) -> None:
    """Seed every device's generator: there is none, so only the argument is checked."""
    int(seed)


def seed() -> None:
    """Seed the current device's generator at random: there is none."""


def seed_all() -> None:
    """Seed every device's generator at random: there is none."""


def get_rng_state_all() -> list[Any]:
    """The states of the generators of all devices: an empty list."""
    return []
