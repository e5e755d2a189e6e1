# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules._sizes import Sizes as Sizes
from rushlight.nn.modules._sizes import ntuple as ntuple
from rushlight.nn.modules.conv import Conv1d as Conv1d
from rushlight.nn.modules.conv import Conv2d as Conv2d
from rushlight.nn.modules.conv import Conv3d as Conv3d
from rushlight.nn.modules.conv import ConvTranspose1d as ConvTranspose1d
from rushlight.nn.modules.conv import ConvTranspose2d as ConvTranspose2d
from rushlight.nn.modules.conv import ConvTranspose3d as ConvTranspose3d
from rushlight.nn.modules.conv import _Conv as _Conv
from rushlight.nn.modules.conv import _ConvNd as _ConvNd
from rushlight.nn.modules.conv import _ConvTransposeMixin as _ConvTransposeMixin
from rushlight.nn.modules.conv import _ConvTransposeNd as _ConvTransposeNd
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.modules.module import shown as shown
from rushlight.nn.parameter import Parameter as Parameter
from torch.nn import LazyConv1d as LazyConv1d
from torch.nn import LazyConv2d as LazyConv2d
from torch.nn import LazyConv3d as LazyConv3d
from torch.nn import LazyConvTranspose1d as LazyConvTranspose1d
from torch.nn import LazyConvTranspose2d as LazyConvTranspose2d
from torch.nn import LazyConvTranspose3d as LazyConvTranspose3d
from torch.nn import functional as _of_F
from torch.nn import init as init

F = _of_F
