# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules._functional import FunctionModule as FunctionModule
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.modules.normalization import (
    BatchNorm1d as BatchNorm1d, BatchNorm2d as BatchNorm2d, BatchNorm3d as BatchNorm3d, GroupNorm as GroupNorm,
    InstanceNorm1d as InstanceNorm1d, InstanceNorm2d as InstanceNorm2d, InstanceNorm3d as InstanceNorm3d, LayerNorm as LayerNorm,
    LocalResponseNorm as LocalResponseNorm, RMSNorm as RMSNorm, _BatchNorm as _BatchNorm, _InstanceNorm as _InstanceNorm,
    _NormBase as _NormBase, _Scaled as _Scaled, _ShapedNorm as _ShapedNorm,
)
from rushlight.nn.parameter import Parameter as Parameter
from torch.nn import functional as _of_F, init as init

F = _of_F
