"""Names that programs import from the rooms of `torch.distributed`: there is no distributed training here, and using
one says so.

compat/places.py says which room has which.
"""

from __future__ import annotations

from rushlight.utils._absent import absent_names

__all__: list[str] = []

_CLASSES = (
    "AsyncCollectiveTensor",
    "CheckpointImpl",
    "CheckpointWrapper",
    "DDPCommHookType",
    "DefaultLoadPlanner",
    "DefaultSavePlanner",
    "FileSystemReader",
    "FileSystemWriter",
    "FlatParameter",
    "ModelAverager",
    "PeriodicModelAverager",
    "ShardedGradScaler",
    "TransformerEncoderLayerWrapper",
)
_CALLS = (
    "_sync_module_states",
    "always_wrap_policy",
    "apply_activation_checkpointing",
    "async_save",
    "checkpoint_wrapper",
    "enable_wrap",
    "get_args_parser",
    "load",
    "lambda_auto_wrap_policy",
    "load_state_dict",
    "powerSGD_hook",
    "run",
    "save",
    "save_state_dict",
    "size_based_auto_wrap_policy",
    "transformer_auto_wrap_policy",
    "wrap",
)
globals().update(
    absent_names(
        __name__,
        "rushlight lacks it: there are groups of one process here, with collectives and DistributedDataParallel",
        _CLASSES,
        _CALLS,
    )
)
__all__ += [*_CLASSES, *_CALLS]
