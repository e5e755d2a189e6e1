# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.linear import (
    Bilinear as Bilinear, Identity as Identity, Linear as Linear,
    NonDynamicallyQuantizableLinear as NonDynamicallyQuantizableLinear, _Affine as _Affine,
)
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parameter import Parameter as Parameter
from torch.nn import functional as _of_F, init as init

F = _of_F
