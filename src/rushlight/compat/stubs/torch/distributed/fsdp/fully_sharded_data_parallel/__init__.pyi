# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Made as _Made
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

class FullyShardedDataParallel(_Made): ...
class FlatParameter(_Made): ...
