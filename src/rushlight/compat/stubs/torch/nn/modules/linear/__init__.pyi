# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.linear import Bilinear as Bilinear
from rushlight.nn.modules.linear import Identity as Identity
from rushlight.nn.modules.linear import Linear as Linear
from rushlight.nn.modules.linear import NonDynamicallyQuantizableLinear as NonDynamicallyQuantizableLinear
from rushlight.nn.modules.linear import _Affine as _Affine
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parameter import Parameter as Parameter
from torch.nn import LazyLinear as LazyLinear
from torch.nn import functional as _of_F
from torch.nn import init as init

F = _of_F
