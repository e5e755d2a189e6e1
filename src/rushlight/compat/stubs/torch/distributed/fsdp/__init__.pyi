# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Function as _Function
from rushlight.compat._made import Made as _Made
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

class FSDPModule(_Made): ...
class FullyShardedDataParallel(_Made): ...
class UnshardHandle(_Made): ...
_dtype = _of__dtype
fully_shard: _Function
register_fsdp_forward_method: _Function
share_comm_ctx: _Function
