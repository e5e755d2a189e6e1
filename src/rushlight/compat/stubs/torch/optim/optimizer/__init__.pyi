# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.optim._options import Range as Range
from rushlight.optim.optimizer import (
    Bucket as Bucket, Optimizer as Optimizer, ParamsT as ParamsT, SteppedOptimizer as SteppedOptimizer, _Required as _Required,
    _add_hook as _add_hook, _both as _both, _cast as _cast, _default_to_fused_or_foreach as _default_to_fused_or_foreach,
    _get_capturable_supported_devices as _get_capturable_supported_devices, _replaced as _replaced,
    _use_grad_for_differentiable as _use_grad_for_differentiable, _with_names as _with_names, number as number, rate as rate,
    register_optimizer_step_post_hook as register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook as register_optimizer_step_pre_hook, required as required, zeros_for as zeros_for,
)
from rushlight.utils.hooks import RemovableHandle as RemovableHandle
