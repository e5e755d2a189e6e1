# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.adaptive import AdaptiveLogSoftmaxWithLoss as AdaptiveLogSoftmaxWithLoss
from rushlight.nn.modules.adaptive import _ASMoutput as _ASMoutput
from rushlight.nn.modules.container import ModuleList as ModuleList
from rushlight.nn.modules.container import Sequential as Sequential
from rushlight.nn.modules.linear import Linear as Linear
from rushlight.nn.modules.module import Module as Module
from torch.nn import functional as _of_F

F = _of_F
