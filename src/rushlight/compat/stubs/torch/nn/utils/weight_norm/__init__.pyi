# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parameter import Parameter as Parameter
from rushlight.nn.utils._weight_hook import M as M
from rushlight.nn.utils._weight_hook import WeightHook as WeightHook
from rushlight.nn.utils.weight_norm import WeightNorm as WeightNorm
from rushlight.nn.utils.weight_norm import norm_except_dim as norm_except_dim
from rushlight.nn.utils.weight_norm import normed_weight as normed_weight
from rushlight.nn.utils.weight_norm import remove_weight_norm as remove_weight_norm
from rushlight.nn.utils.weight_norm import weight_norm as weight_norm
