# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.activation import (
    CELU as CELU, ELU as ELU, GELU as GELU, GLU as GLU, Hardshrink as Hardshrink, Hardsigmoid as Hardsigmoid,
    Hardswish as Hardswish, Hardtanh as Hardtanh, LeakyReLU as LeakyReLU, LogSigmoid as LogSigmoid, LogSoftmax as LogSoftmax,
    Mish as Mish, PReLU as PReLU, RReLU as RReLU, ReLU as ReLU, ReLU6 as ReLU6, SELU as SELU, SiLU as SiLU, Sigmoid as Sigmoid,
    Softmax as Softmax, Softmax2d as Softmax2d, Softmin as Softmin, Softplus as Softplus, Softshrink as Softshrink,
    Softsign as Softsign, Tanh as Tanh, Tanhshrink as Tanhshrink, Threshold as Threshold, _OverDim as _OverDim,
)
from rushlight.nn.modules.attention import MultiheadAttention as MultiheadAttention
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parameter import Parameter as Parameter
from torch.nn import functional as _of_F

F = _of_F
