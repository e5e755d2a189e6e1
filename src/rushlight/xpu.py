"""The names of `torch.xpu` that portable programs ask: there is no such device here."""

from __future__ import annotations

from typing import Any

from rushlight.utils._absent import absent_names

__all__ = [
    "device_count",
    "empty_cache",
    "get_rng_state_all",
    "is_available",
    "is_bf16_supported",
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
    """Whether there is a device: no."""
    return False


def device_count() -> int:
    """The number of devices: 0."""
    return 0


def empty_cache() -> None:
    """Give the allocator's unused device memory back: there is none."""


def manual_seed(seed: int) -> None:
    """Seed the device's generator: there is none, so only the argument is checked."""
    int(seed)


def manual_seed_all(seed: int) -> None:
    """Seed every device's generator: there is none, so only the argument is checked."""
    int(seed)


def is_initialized() -> bool:
    """Whether XPU has been initialized: no."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether the device computes in bfloat16: there is none."""
    return False


def memory_allocated(device: Any = None) -> int:
    """Bytes of device memory in tensors: 0."""
    return 0


max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated


def memory_stats(device: Any = None) -> dict[str, Any]:
    """What the allocator of device memory has counted: nothing."""
    return {}


def reset_peak_memory_stats(device: Any = None) -> None:
    """Begin counting the most memory anew: none is counted."""


def seed() -> None:
    """Seed the device's generator at random: there is none."""


seed_all = seed


def get_rng_state_all() -> list[Any]:
    """The states of the generators of all devices: an empty list."""
    return []


_CLASSES = ("Event", "Stream", "device", "stream")
_CALLS = (
    "current_device",
    "current_stream",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_rng_state",
    "init",
    "mem_get_info",
    "set_device",
    "set_rng_state",
    "set_rng_state_all",
    "synchronize",
)
globals().update(
    absent_names(__name__, "there is no XPU device; ask xpu.is_available() first", _CLASSES, _CALLS, AssertionError)
)
__all__ += [*_CLASSES, *_CALLS]


def is_current_stream_capturing() -> bool:
    """Whether a graph of device work is being captured: no."""
    return False
