# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.graph import saved_tensors_hooks as saved_tensors_hooks
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.tree import flatten as flatten
from rushlight.func.tree import tree_map as tree_map
from rushlight.library.dispatching import represented as represented
from rushlight.utils._python_dispatch import TorchDispatchMode as TorchDispatchMode
from rushlight.utils.selective import CheckpointPolicy as CheckpointPolicy
from rushlight.utils.selective import SelectiveCheckpointContext as SelectiveCheckpointContext
from rushlight.utils.selective import _Again as _Again
from rushlight.utils.selective import _Cache as _Cache
from rushlight.utils.selective import _First as _First
from rushlight.utils.selective import _Run as _Run
from rushlight.utils.selective import create_selective_checkpoint_contexts as create_selective_checkpoint_contexts
