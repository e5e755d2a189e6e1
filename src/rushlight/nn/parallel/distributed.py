"""Modules in several processes: a class to import and to ask `isinstance` for; there is no distributed training
here.
"""

from __future__ import annotations

from typing import Any

from rushlight.nn.modules.module import Module

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """A module whose gradients are averaged over processes. Making one raises ValueError, as PyTorch does without a
    process group.
    """

    def __init__(self, module: Module, *args: Any, **kwargs: Any) -> None:
        raise ValueError(
            "DistributedDataParallel(): there must be a process group, and there is no distributed training here; "
            "ask distributed.is_available() first"
        )
