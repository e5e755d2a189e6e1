# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.distributed.fsdp import BackwardPrefetch as BackwardPrefetch
from rushlight.distributed.fsdp import CPUOffload as CPUOffload
from rushlight.distributed.fsdp import FullOptimStateDictConfig as FullOptimStateDictConfig
from rushlight.distributed.fsdp import FullStateDictConfig as FullStateDictConfig
from rushlight.distributed.fsdp import LocalOptimStateDictConfig as LocalOptimStateDictConfig
from rushlight.distributed.fsdp import LocalStateDictConfig as LocalStateDictConfig
from rushlight.distributed.fsdp import MixedPrecision as MixedPrecision
from rushlight.distributed.fsdp import OptimStateDictConfig as OptimStateDictConfig
from rushlight.distributed.fsdp import OptimStateKeyType as OptimStateKeyType
from rushlight.distributed.fsdp import ShardedOptimStateDictConfig as ShardedOptimStateDictConfig
from rushlight.distributed.fsdp import ShardedStateDictConfig as ShardedStateDictConfig
from rushlight.distributed.fsdp import ShardingStrategy as ShardingStrategy
from rushlight.distributed.fsdp import StateDictConfig as StateDictConfig
from rushlight.distributed.fsdp import StateDictSettings as StateDictSettings
from rushlight.distributed.fsdp import StateDictType as StateDictType
