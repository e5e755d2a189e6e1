# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.distributed.fsdp import (
    BackwardPrefetch as BackwardPrefetch, CPUOffload as CPUOffload, FullOptimStateDictConfig as FullOptimStateDictConfig,
    FullStateDictConfig as FullStateDictConfig, LocalOptimStateDictConfig as LocalOptimStateDictConfig,
    LocalStateDictConfig as LocalStateDictConfig, MixedPrecision as MixedPrecision, OptimStateDictConfig as OptimStateDictConfig,
    OptimStateKeyType as OptimStateKeyType, ShardedOptimStateDictConfig as ShardedOptimStateDictConfig,
    ShardedStateDictConfig as ShardedStateDictConfig, ShardingStrategy as ShardingStrategy, StateDictConfig as StateDictConfig,
    StateDictSettings as StateDictSettings, StateDictType as StateDictType,
)
