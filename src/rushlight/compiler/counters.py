"""What has been compiled since the start, and how long it took."""

from __future__ import annotations

_counts = {
    "programs": 0,
    "calls_traced": 0,
    "calls_loaded_from_disk": 0,
    "plans_loaded_from_disk": 0,
    "kernels_compiled": 0,
    "kernels_loaded_from_disk": 0,
    "ms": 0.0,
}


def stats() -> dict[str, float]:
    """Counters since the start: programs and kernels made ready; calls of operators that were traced, and those that
    were loaded from disk instead, as were plans and kernels; and milliseconds spent compiling.
    """
    return dict(_counts)


def count(name: str, by: float = 1) -> None:
    _counts[name] += by
