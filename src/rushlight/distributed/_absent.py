"""Names that programs import from the namespaces of `torch.distributed`: there is no distributed training here, and
using one says so.

compat/places.py says which namespace has which.
"""

from __future__ import annotations

from rushlight.distributed._lacking import lacking

_LACKING = lacking(
    __name__,
    """
    AsyncCollectiveTensor CheckpointImpl CheckpointWrapper DDPCommHookType DefaultLoadPlanner
    DefaultSavePlanner FileSystemReader FileSystemWriter FlatParameter ModelAverager PeriodicModelAverager
    ShardedGradScaler TransformerEncoderLayerWrapper
    """,
    """
    _sync_module_states always_wrap_policy apply_activation_checkpointing async_save checkpoint_wrapper
    enable_wrap get_args_parser load lambda_auto_wrap_policy load_state_dict powerSGD_hook run save
    save_state_dict size_based_auto_wrap_policy transformer_auto_wrap_policy wrap
    """,
)
globals().update(_LACKING)
__all__: list[str] = [*_LACKING]
