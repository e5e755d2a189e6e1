# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.grad_mode import no_grad as no_grad
from rushlight.autograd.graph import (
    _Handles as _Handles, allow_mutation_on_saved_tensors as allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks as disable_saved_tensors_hooks, increment_version as increment_version,
    region_activation_memory_budget as region_activation_memory_budget, register_multi_grad_hook as register_multi_grad_hook,
    save_on_cpu as save_on_cpu, saved_tensors_hooks as saved_tensors_hooks,
    set_override_stale_capture_stream as set_override_stale_capture_stream,
    set_warn_on_accumulate_grad_stream_mismatch as set_warn_on_accumulate_grad_stream_mismatch,
)
from rushlight.autograd.running import GradientEdge as GradientEdge, get_gradient_edge as get_gradient_edge
from rushlight.core.engine import Node as Node
from rushlight.core.tensor import Tensor as Tensor
