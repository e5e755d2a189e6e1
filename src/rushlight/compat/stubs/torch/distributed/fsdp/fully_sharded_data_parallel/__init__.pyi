# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
import builtins
from rushlight.distributed.fsdp import BackwardPrefetch as BackwardPrefetch
from rushlight.distributed.fsdp import CPUOffload as CPUOffload
from rushlight.distributed.fsdp import FullOptimStateDictConfig as FullOptimStateDictConfig
from rushlight.distributed.fsdp import FullStateDictConfig as FullStateDictConfig
from rushlight.distributed.fsdp import LocalStateDictConfig as LocalStateDictConfig
from rushlight.distributed.fsdp import MixedPrecision as MixedPrecision
from rushlight.distributed.fsdp import OptimStateKeyType as OptimStateKeyType
from rushlight.distributed.fsdp import ShardedOptimStateDictConfig as ShardedOptimStateDictConfig
from rushlight.distributed.fsdp import ShardedStateDictConfig as ShardedStateDictConfig
from rushlight.distributed.fsdp import ShardingStrategy as ShardingStrategy
from rushlight.distributed.fsdp import StateDictType as StateDictType
from typing import Any

class FullyShardedDataParallel:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class FlatParameter:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
