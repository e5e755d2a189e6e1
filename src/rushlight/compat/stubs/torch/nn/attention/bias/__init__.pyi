# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.attention.bias import CausalBias as CausalBias
from rushlight.nn.attention.bias import CausalVariant as CausalVariant
from rushlight.nn.attention.bias import causal_lower_right as causal_lower_right
from rushlight.nn.attention.bias import causal_upper_left as causal_upper_left
from torch.nn import functional as _of_F

F = _of_F
