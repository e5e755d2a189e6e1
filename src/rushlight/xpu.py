"""The names of `torch.xpu` that portable programs ask: there is no such device here."""
from __future__ import annotations

__all__ = ["device_count", "empty_cache", "is_available", "manual_seed", "manual_seed_all"]


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
