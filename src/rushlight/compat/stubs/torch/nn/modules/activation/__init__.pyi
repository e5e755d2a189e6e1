# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.activation import CELU as CELU
from rushlight.nn.modules.activation import ELU as ELU
from rushlight.nn.modules.activation import GELU as GELU
from rushlight.nn.modules.activation import GLU as GLU
from rushlight.nn.modules.activation import Hardshrink as Hardshrink
from rushlight.nn.modules.activation import Hardsigmoid as Hardsigmoid
from rushlight.nn.modules.activation import Hardswish as Hardswish
from rushlight.nn.modules.activation import Hardtanh as Hardtanh
from rushlight.nn.modules.activation import LeakyReLU as LeakyReLU
from rushlight.nn.modules.activation import LogSigmoid as LogSigmoid
from rushlight.nn.modules.activation import LogSoftmax as LogSoftmax
from rushlight.nn.modules.activation import Mish as Mish
from rushlight.nn.modules.activation import PReLU as PReLU
from rushlight.nn.modules.activation import RReLU as RReLU
from rushlight.nn.modules.activation import ReLU as ReLU
from rushlight.nn.modules.activation import ReLU6 as ReLU6
from rushlight.nn.modules.activation import SELU as SELU
from rushlight.nn.modules.activation import SiLU as SiLU
from rushlight.nn.modules.activation import Sigmoid as Sigmoid
from rushlight.nn.modules.activation import Softmax as Softmax
from rushlight.nn.modules.activation import Softmax2d as Softmax2d
from rushlight.nn.modules.activation import Softmin as Softmin
from rushlight.nn.modules.activation import Softplus as Softplus
from rushlight.nn.modules.activation import Softshrink as Softshrink
from rushlight.nn.modules.activation import Softsign as Softsign
from rushlight.nn.modules.activation import Tanh as Tanh
from rushlight.nn.modules.activation import Tanhshrink as Tanhshrink
from rushlight.nn.modules.activation import Threshold as Threshold
from rushlight.nn.modules.activation import _Exponential as _Exponential
from rushlight.nn.modules.activation import _InPlace as _InPlace
from rushlight.nn.modules.activation import _OverDim as _OverDim
from rushlight.nn.modules.activation import _Shrink as _Shrink
from rushlight.nn.modules.attention import MultiheadAttention as MultiheadAttention
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parameter import Parameter as Parameter
from torch.nn import functional as _of_F

F = _of_F
