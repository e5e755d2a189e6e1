# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.running import in_range as in_range
from rushlight.core.tensor import Tensor as Tensor
from rushlight.optim._options import Range as Range
from rushlight.optim.optimizer import Bucket as Bucket
from rushlight.optim.optimizer import Optimizer as Optimizer
from rushlight.optim.optimizer import ParamsT as ParamsT
from rushlight.optim.optimizer import Row as Row
from rushlight.optim.optimizer import SteppedOptimizer as SteppedOptimizer
from rushlight.optim.optimizer import _Required as _Required
from rushlight.optim.optimizer import _add_hook as _add_hook
from rushlight.optim.optimizer import _both as _both
from rushlight.optim.optimizer import _cast as _cast
from rushlight.optim.optimizer import _default_to_fused_or_foreach as _default_to_fused_or_foreach
from rushlight.optim.optimizer import _get_capturable_supported_devices as _get_capturable_supported_devices
from rushlight.optim.optimizer import _replaced as _replaced
from rushlight.optim.optimizer import _use_grad_for_differentiable as _use_grad_for_differentiable
from rushlight.optim.optimizer import _with_names as _with_names
from rushlight.optim.optimizer import number as number
from rushlight.optim.optimizer import rate as rate
from rushlight.optim.optimizer import register_optimizer_step_post_hook as register_optimizer_step_post_hook
from rushlight.optim.optimizer import register_optimizer_step_pre_hook as register_optimizer_step_pre_hook
from rushlight.optim.optimizer import required as required
from rushlight.optim.optimizer import zeros_for as zeros_for
from rushlight.utils.hooks import RemovableHandle as RemovableHandle
