# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.grad_mode import no_grad as no_grad
from rushlight.autograd.graph import _Handles as _Handles
from rushlight.autograd.graph import allow_mutation_on_saved_tensors as allow_mutation_on_saved_tensors
from rushlight.autograd.graph import disable_saved_tensors_hooks as disable_saved_tensors_hooks
from rushlight.autograd.graph import increment_version as increment_version
from rushlight.autograd.graph import region_activation_memory_budget as region_activation_memory_budget
from rushlight.autograd.graph import register_multi_grad_hook as register_multi_grad_hook
from rushlight.autograd.graph import save_on_cpu as save_on_cpu
from rushlight.autograd.graph import saved_tensors_hooks as saved_tensors_hooks
from rushlight.autograd.graph import set_override_stale_capture_stream as set_override_stale_capture_stream
from rushlight.autograd.graph import (
    set_warn_on_accumulate_grad_stream_mismatch as set_warn_on_accumulate_grad_stream_mismatch,
)
from rushlight.autograd.graph import without_hooks as without_hooks
from rushlight.autograd.running import GradientEdge as GradientEdge
from rushlight.autograd.running import get_gradient_edge as get_gradient_edge
from rushlight.core.devices import device as device
from rushlight.core.engine import Node as Node
from rushlight.core.tensor import Tensor as Tensor
