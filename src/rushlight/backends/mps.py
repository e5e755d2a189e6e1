"""Metal on Apple's processors: not here."""

from __future__ import annotations

__all__ = ["is_available", "is_built", "is_macos13_or_newer", "is_macos_or_newer"]


def is_built() -> bool:
    """Whether the library was built with Metal: no."""
    return False


def is_available() -> bool:
    """Whether there is a Metal device: no."""
    return False


def is_macos13_or_newer() -> bool:
    """Whether the Metal device runs on macOS 13 or newer: there is none."""
    return is_macos_or_newer(13, 0)


def is_macos_or_newer(major: int, minor: int) -> bool:
    """Whether the Metal device runs on that version of macOS or a newer one: there is none."""
    return False
