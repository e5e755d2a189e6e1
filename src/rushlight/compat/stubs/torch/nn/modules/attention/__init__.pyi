# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules._functional import FunctionModule as FunctionModule
from rushlight.nn.modules.attention import MultiheadAttention as MultiheadAttention
from rushlight.nn.modules.linear import NonDynamicallyQuantizableLinear as NonDynamicallyQuantizableLinear
from rushlight.nn.parameter import Parameter as Parameter
from torch.nn import init as init
