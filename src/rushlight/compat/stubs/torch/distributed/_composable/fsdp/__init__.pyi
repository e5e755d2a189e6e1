# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
import builtins
from collections.abc import Callable
from rushlight.distributed.fsdp import CPUOffloadPolicy as CPUOffloadPolicy
from rushlight.distributed.fsdp import MixedPrecisionPolicy as MixedPrecisionPolicy
from rushlight.distributed.fsdp import OffloadPolicy as OffloadPolicy
from typing import Any

class FSDPModule:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
fully_shard: Callable[..., Any]
