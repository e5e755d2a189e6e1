"""Python's multiprocessing with PyTorch's additions: `spawn`, and the names by which it shares tensors.

A tensor that is sent to another process shares its memory from then on (core/sharing.py). Forked children work at any
time.
"""

from __future__ import annotations

import importlib
import multiprocessing as _python
from multiprocessing import *  # noqa: F403
from typing import Any

from rushlight.core.sharing import register_reductions
from rushlight.multiprocessing.spawn import (
    ProcessContext,
    ProcessExitedException,
    ProcessRaisedException,
    spawn,
    start_processes,
)
from rushlight.multiprocessing.spawn import SpawnContext as SpawnContext

__all__ = [
    "ProcessContext",
    "ProcessExitedException",
    "ProcessRaisedException",
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "set_sharing_strategy",
    "spawn",
    "start_processes",
    *_python.__all__,
]


_STRATEGIES = {"file_descriptor", "file_system"}
_strategy = "file_descriptor"


def get_all_sharing_strategies() -> set[str]:
    """The names of PyTorch's ways to share tensors. Both are one here: the memory's descriptor travels."""
    return set(_STRATEGIES)


def get_sharing_strategy() -> str:
    """The name last given to `set_sharing_strategy`."""
    return _strategy


def set_sharing_strategy(new_strategy: str) -> None:
    """Choose between "file_descriptor" and "file_system", which are one here.

    Raises:
        AssertionError: for another name.
    """
    global _strategy
    if new_strategy not in _STRATEGIES:
        raise AssertionError(
            f"set_sharing_strategy(): expected one of {', '.join(sorted(_STRATEGIES))}; found {new_strategy!r}"
        )
    _strategy = new_strategy


register_reductions()


def __getattr__(name: str) -> Any:
    if name in ("pool", "queue", "reductions"):
        return importlib.import_module(f"{__name__}.{name}")
    return getattr(_python, name)
