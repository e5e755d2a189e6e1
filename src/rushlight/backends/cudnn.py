"""cuDNN: not here. The switches hold what is set and steer nothing."""

from __future__ import annotations

from typing import Any

from ._switch import flags_of

__all__ = [
    "allow_tf32",
    "benchmark",
    "benchmark_limit",
    "deterministic",
    "enabled",
    "flags",
    "is_acceptable",
    "is_available",
    "version",
]

enabled = True
benchmark = False
benchmark_limit: int | None = None
deterministic = False
allow_tf32 = True
flags = flags_of(__name__, ("enabled", "benchmark", "benchmark_limit", "deterministic", "allow_tf32"))


def is_available() -> bool:
    """Whether the library is there: no."""
    return False


def is_acceptable(tensor: Any) -> bool:
    """Whether cuDNN can compute on the tensor: no."""
    return False


def version() -> int | None:
    """The library's version: None."""
    return None
