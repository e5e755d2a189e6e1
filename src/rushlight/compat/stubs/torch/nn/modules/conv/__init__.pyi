# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules._sizes import ntuple as ntuple
from rushlight.nn.modules.conv import (
    Conv1d as Conv1d, Conv2d as Conv2d, Conv3d as Conv3d, ConvTranspose1d as ConvTranspose1d, ConvTranspose2d as ConvTranspose2d,
    ConvTranspose3d as ConvTranspose3d, _Conv as _Conv, _ConvNd as _ConvNd, _ConvTransposeMixin as _ConvTransposeMixin,
    _ConvTransposeNd as _ConvTransposeNd,
)
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parameter import Parameter as Parameter
from torch.nn import functional as _of_F, init as init

F = _of_F
