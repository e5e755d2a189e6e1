# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
import builtins
from rushlight.distributed.fsdp import (
    BackwardPrefetch as BackwardPrefetch, CPUOffload as CPUOffload, FullOptimStateDictConfig as FullOptimStateDictConfig,
    FullStateDictConfig as FullStateDictConfig, LocalStateDictConfig as LocalStateDictConfig, MixedPrecision as MixedPrecision,
    OptimStateKeyType as OptimStateKeyType, ShardedOptimStateDictConfig as ShardedOptimStateDictConfig,
    ShardedStateDictConfig as ShardedStateDictConfig, ShardingStrategy as ShardingStrategy, StateDictType as StateDictType,
)
from typing import Any

class FullyShardedDataParallel:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class FlatParameter:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
