# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
import builtins
from collections.abc import Callable
from rushlight.distributed.fsdp import (
    BackwardPrefetch as BackwardPrefetch, CPUOffload as CPUOffload, CPUOffloadPolicy as CPUOffloadPolicy,
    DataParallelMeshDims as DataParallelMeshDims, FullOptimStateDictConfig as FullOptimStateDictConfig,
    FullStateDictConfig as FullStateDictConfig, LocalOptimStateDictConfig as LocalOptimStateDictConfig,
    LocalStateDictConfig as LocalStateDictConfig, MixedPrecision as MixedPrecision, MixedPrecisionPolicy as MixedPrecisionPolicy,
    OffloadPolicy as OffloadPolicy, OptimStateDictConfig as OptimStateDictConfig, OptimStateKeyType as OptimStateKeyType,
    ShardedOptimStateDictConfig as ShardedOptimStateDictConfig, ShardedStateDictConfig as ShardedStateDictConfig,
    ShardingStrategy as ShardingStrategy, StateDictConfig as StateDictConfig, StateDictSettings as StateDictSettings,
    StateDictType as StateDictType,
)
from rushlight.nn.modules.normalization import _BatchNorm as _BatchNorm
from rushlight.utils._absent import absent_names as absent_names
from typing import Any

class FSDPModule:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class FullyShardedDataParallel:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class UnshardHandle:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
fully_shard: Callable[..., Any]
register_fsdp_forward_method: Callable[..., Any]
share_comm_ctx: Callable[..., Any]
