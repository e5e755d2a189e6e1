# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules._functional import FunctionModule as FunctionModule
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.modules.normalization import BatchNorm1d as BatchNorm1d
from rushlight.nn.modules.normalization import BatchNorm2d as BatchNorm2d
from rushlight.nn.modules.normalization import BatchNorm3d as BatchNorm3d
from rushlight.nn.modules.normalization import GroupNorm as GroupNorm
from rushlight.nn.modules.normalization import InstanceNorm1d as InstanceNorm1d
from rushlight.nn.modules.normalization import InstanceNorm2d as InstanceNorm2d
from rushlight.nn.modules.normalization import InstanceNorm3d as InstanceNorm3d
from rushlight.nn.modules.normalization import LayerNorm as LayerNorm
from rushlight.nn.modules.normalization import LocalResponseNorm as LocalResponseNorm
from rushlight.nn.modules.normalization import RMSNorm as RMSNorm
from rushlight.nn.modules.normalization import _BatchNorm as _BatchNorm
from rushlight.nn.modules.normalization import _InstanceNorm as _InstanceNorm
from rushlight.nn.modules.normalization import _NormBase as _NormBase
from rushlight.nn.modules.normalization import _Scaled as _Scaled
from rushlight.nn.modules.normalization import _ShapedNorm as _ShapedNorm
from rushlight.nn.parameter import Parameter as Parameter
from torch.nn import functional as _of_F
from torch.nn import init as init

F = _of_F
