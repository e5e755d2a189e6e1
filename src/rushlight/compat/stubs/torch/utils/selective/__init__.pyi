# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.graph import saved_tensors_hooks as saved_tensors_hooks
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.tree import flatten as flatten, tree_map as tree_map
from rushlight.library.dispatching import represented as represented
from rushlight.utils._python_dispatch import TorchDispatchMode as TorchDispatchMode
from rushlight.utils.selective import (
    CheckpointPolicy as CheckpointPolicy, SelectiveCheckpointContext as SelectiveCheckpointContext, _Again as _Again,
    _Cache as _Cache, _First as _First, _Run as _Run, create_selective_checkpoint_contexts as create_selective_checkpoint_contexts,
)
