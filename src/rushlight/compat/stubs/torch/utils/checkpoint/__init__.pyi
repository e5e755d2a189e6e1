# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.graph import saved_tensors_hooks as saved_tensors_hooks
from rushlight.core.tensor import Tensor as Tensor
from rushlight.utils._checks import check_argument as check_argument
from rushlight.utils.checkpoint import (
    CheckpointError as CheckpointError, _Frame as _Frame, _Settings as _Settings, _Stop as _Stop,
    check_backward_validity as check_backward_validity, checkpoint as checkpoint, checkpoint_sequential as checkpoint_sequential,
    detach_variable as detach_variable, noop_context_fn as noop_context_fn,
    set_checkpoint_debug_enabled as set_checkpoint_debug_enabled, set_checkpoint_early_stop as set_checkpoint_early_stop,
)
from rushlight.utils.selective import (
    CheckpointPolicy as CheckpointPolicy, SelectiveCheckpointContext as SelectiveCheckpointContext,
    create_selective_checkpoint_contexts as create_selective_checkpoint_contexts,
)
from torch.amp import autocast_mode as autocast_mode
