# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules._functional import FunctionModule as FunctionModule
from rushlight.nn.modules._sizes import ntuple as ntuple
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.modules.shape import ChannelShuffle as ChannelShuffle
from rushlight.nn.modules.shape import CircularPad1d as CircularPad1d
from rushlight.nn.modules.shape import CircularPad2d as CircularPad2d
from rushlight.nn.modules.shape import CircularPad3d as CircularPad3d
from rushlight.nn.modules.shape import ConstantPad1d as ConstantPad1d
from rushlight.nn.modules.shape import ConstantPad2d as ConstantPad2d
from rushlight.nn.modules.shape import ConstantPad3d as ConstantPad3d
from rushlight.nn.modules.shape import Flatten as Flatten
from rushlight.nn.modules.shape import Fold as Fold
from rushlight.nn.modules.shape import PixelShuffle as PixelShuffle
from rushlight.nn.modules.shape import PixelUnshuffle as PixelUnshuffle
from rushlight.nn.modules.shape import ReflectionPad1d as ReflectionPad1d
from rushlight.nn.modules.shape import ReflectionPad2d as ReflectionPad2d
from rushlight.nn.modules.shape import ReflectionPad3d as ReflectionPad3d
from rushlight.nn.modules.shape import ReplicationPad1d as ReplicationPad1d
from rushlight.nn.modules.shape import ReplicationPad2d as ReplicationPad2d
from rushlight.nn.modules.shape import ReplicationPad3d as ReplicationPad3d
from rushlight.nn.modules.shape import Unflatten as Unflatten
from rushlight.nn.modules.shape import Unfold as Unfold
from rushlight.nn.modules.shape import Upsample as Upsample
from rushlight.nn.modules.shape import UpsamplingBilinear2d as UpsamplingBilinear2d
from rushlight.nn.modules.shape import UpsamplingNearest2d as UpsamplingNearest2d
from rushlight.nn.modules.shape import ZeroPad1d as ZeroPad1d
from rushlight.nn.modules.shape import ZeroPad2d as ZeroPad2d
from rushlight.nn.modules.shape import ZeroPad3d as ZeroPad3d
from rushlight.nn.modules.shape import _ConstantPadNd as _ConstantPadNd
from rushlight.nn.modules.shape import _PadNd as _PadNd
from rushlight.nn.modules.shape import _Rearranged as _Rearranged
from rushlight.nn.modules.shape import _ZeroPadNd as _ZeroPadNd
from torch.nn import functional as _of_F

F = _of_F
