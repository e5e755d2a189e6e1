# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.running import (
    GradientEdge as GradientEdge, TRANSFORM as TRANSFORM, as_subclass as as_subclass, attach as attach, backward as backward,
    detach_ as detach_, get_gradient_edge as get_gradient_edge, grad as grad, make_grads as make_grads,
    register_hook as register_hook, register_post_accumulate_grad_hook as register_post_accumulate_grad_hook,
    retain_grad as retain_grad, run as run, tensor_backward as tensor_backward, watchers as watchers,
)
from rushlight.core.tensor import Tensor as Tensor
