# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules._functional import FunctionModule as FunctionModule
from rushlight.nn.modules._sizes import ntuple as ntuple
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.modules.shape import (
    ChannelShuffle as ChannelShuffle, CircularPad1d as CircularPad1d, CircularPad2d as CircularPad2d,
    CircularPad3d as CircularPad3d, ConstantPad1d as ConstantPad1d, ConstantPad2d as ConstantPad2d,
    ConstantPad3d as ConstantPad3d, Flatten as Flatten, Fold as Fold, PixelShuffle as PixelShuffle,
    PixelUnshuffle as PixelUnshuffle, ReflectionPad1d as ReflectionPad1d, ReflectionPad2d as ReflectionPad2d,
    ReflectionPad3d as ReflectionPad3d, ReplicationPad1d as ReplicationPad1d, ReplicationPad2d as ReplicationPad2d,
    ReplicationPad3d as ReplicationPad3d, Unflatten as Unflatten, Unfold as Unfold, Upsample as Upsample,
    UpsamplingBilinear2d as UpsamplingBilinear2d, UpsamplingNearest2d as UpsamplingNearest2d, ZeroPad1d as ZeroPad1d,
    ZeroPad2d as ZeroPad2d, ZeroPad3d as ZeroPad3d, _ConstantPadNd as _ConstantPadNd, _PadNd as _PadNd,
    _Rearranged as _Rearranged, _ZeroPadNd as _ZeroPadNd,
)
from torch.nn import functional as _of_F

F = _of_F
