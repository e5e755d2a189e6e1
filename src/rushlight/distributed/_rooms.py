"""Names that programs import from the rooms of `torch.distributed`: there is no distributed training here, and using
one says so.

compat/places.py says which room has which.
"""

from __future__ import annotations

import datetime
from typing import Any

from rushlight.utils._absent import absent_names

__all__ = ["default_pg_timeout"]

default_pg_timeout = datetime.timedelta(minutes=30)
_pg_map: dict[Any, Any] = {}
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
    "_get_default_group",
    "_sync_module_states",
    "allreduce_hook",
    "always_wrap_policy",
    "apply_activation_checkpointing",
    "async_save",
    "bf16_compress_hook",
    "checkpoint_wrapper",
    "enable_wrap",
    "fp16_compress_hook",
    "get_args_parser",
    "get_model_state_dict",
    "get_optimizer_state_dict",
    "get_state_dict",
    "load",
    "lambda_auto_wrap_policy",
    "load_state_dict",
    "powerSGD_hook",
    "run",
    "save",
    "save_state_dict",
    "set_model_state_dict",
    "set_optimizer_state_dict",
    "set_state_dict",
    "size_based_auto_wrap_policy",
    "transformer_auto_wrap_policy",
    "wrap",
)
globals().update(
    absent_names(
        __name__, "there is no distributed training here; ask distributed.is_available() first", _CLASSES, _CALLS
    )
)
__all__ += [*_CLASSES, *_CALLS]
