# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
import builtins
from collections.abc import Callable
from rushlight.core.dtypes import dtype as _of__dtype
from rushlight.distributed._lacking import lacking as lacking
from rushlight.distributed.fsdp import BackwardPrefetch as BackwardPrefetch
from rushlight.distributed.fsdp import CPUOffload as CPUOffload
from rushlight.distributed.fsdp import CPUOffloadPolicy as CPUOffloadPolicy
from rushlight.distributed.fsdp import DataParallelMeshDims as DataParallelMeshDims
from rushlight.distributed.fsdp import FullOptimStateDictConfig as FullOptimStateDictConfig
from rushlight.distributed.fsdp import FullStateDictConfig as FullStateDictConfig
from rushlight.distributed.fsdp import LocalOptimStateDictConfig as LocalOptimStateDictConfig
from rushlight.distributed.fsdp import LocalStateDictConfig as LocalStateDictConfig
from rushlight.distributed.fsdp import MixedPrecision as MixedPrecision
from rushlight.distributed.fsdp import MixedPrecisionPolicy as MixedPrecisionPolicy
from rushlight.distributed.fsdp import OffloadPolicy as OffloadPolicy
from rushlight.distributed.fsdp import OptimStateDictConfig as OptimStateDictConfig
from rushlight.distributed.fsdp import OptimStateKeyType as OptimStateKeyType
from rushlight.distributed.fsdp import ShardedOptimStateDictConfig as ShardedOptimStateDictConfig
from rushlight.distributed.fsdp import ShardedStateDictConfig as ShardedStateDictConfig
from rushlight.distributed.fsdp import ShardingStrategy as ShardingStrategy
from rushlight.distributed.fsdp import StateDictConfig as StateDictConfig
from rushlight.distributed.fsdp import StateDictSettings as StateDictSettings
from rushlight.distributed.fsdp import StateDictType as StateDictType
from rushlight.nn.modules.batchnorm import _BatchNorm as _BatchNorm
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
_dtype = _of__dtype
fully_shard: Callable[..., Any]
register_fsdp_forward_method: Callable[..., Any]
share_comm_ctx: Callable[..., Any]
