# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.graph import saved_tensors_hooks as saved_tensors_hooks
from rushlight.core.tensor import Tensor as Tensor
from rushlight.utils.checkpoint import CheckpointError as CheckpointError
from rushlight.utils.checkpoint import _Frame as _Frame
from rushlight.utils.checkpoint import _Settings as _Settings
from rushlight.utils.checkpoint import _Stop as _Stop
from rushlight.utils.checkpoint import check_backward_validity as check_backward_validity
from rushlight.utils.checkpoint import checkpoint as checkpoint
from rushlight.utils.checkpoint import checkpoint_sequential as checkpoint_sequential
from rushlight.utils.checkpoint import detach_variable as detach_variable
from rushlight.utils.checkpoint import get_device_states as get_device_states
from rushlight.utils.checkpoint import noop_context_fn as noop_context_fn
from rushlight.utils.checkpoint import set_checkpoint_debug_enabled as set_checkpoint_debug_enabled
from rushlight.utils.checkpoint import set_checkpoint_early_stop as set_checkpoint_early_stop
from rushlight.utils.checkpoint import set_device_states as set_device_states
from rushlight.utils.selective import CheckpointPolicy as CheckpointPolicy
from rushlight.utils.selective import SelectiveCheckpointContext as SelectiveCheckpointContext
from rushlight.utils.selective import create_selective_checkpoint_contexts as create_selective_checkpoint_contexts
from torch.amp import autocast_mode as autocast_mode
