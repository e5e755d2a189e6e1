"""What has been compiled since the start, and how long it took."""

from __future__ import annotations

_counts = {"programs": 0, "kernels_compiled": 0, "kernels_loaded_from_disk": 0, "plans_loaded_from_disk": 0, "ms": 0.0}


def stats() -> dict[str, float]:
    """Counters since the start: programs and kernels compiled, kernels loaded from disk, programs whose plans were, and
    milliseconds spent compiling.
    """
    return dict(_counts)


def count(name: str, by: float = 1) -> None:
    _counts[name] += by
