# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.utils.clip_grad import clip_grad_norm as clip_grad_norm
from rushlight.nn.utils.clip_grad import clip_grad_norm_ as clip_grad_norm_
from rushlight.nn.utils.clip_grad import clip_grad_value_ as clip_grad_value_
from rushlight.nn.utils.clip_grad import clip_grads_with_norm_ as clip_grads_with_norm_
from rushlight.nn.utils.clip_grad import get_total_norm as get_total_norm
