"""Names of `torch.distributed.fsdp` that programs import: rushlight lacks them, and using one says so."""

from __future__ import annotations

from rushlight.utils._absent import absent_names

_CLASSES = (
    "BackwardPrefetch",
    "CPUOffload",
    "CPUOffloadPolicy",
    "FSDPModule",
    "FullOptimStateDictConfig",
    "FullStateDictConfig",
    "FullyShardedDataParallel",
    "LocalStateDictConfig",
    "OptimStateKeyType",
    "ShardedOptimStateDictConfig",
    "MixedPrecision",
    "MixedPrecisionPolicy",
    "OffloadPolicy",
    "ShardedStateDictConfig",
    "ShardingStrategy",
    "StateDictType",
)
_CALLS = ("fully_shard", "register_fsdp_forward_method")
globals().update(
    absent_names(
        __name__,
        "rushlight lacks it: there are groups of one process here, with collectives and DistributedDataParallel",
        _CLASSES,
        _CALLS,
    )
)
__all__ = [*_CLASSES, *_CALLS]
