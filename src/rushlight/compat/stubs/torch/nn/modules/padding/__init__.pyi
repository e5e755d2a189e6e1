# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules._sizes import Sizes as Sizes
from rushlight.nn.modules._sizes import ntuple as ntuple
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.modules.padding import CircularPad1d as CircularPad1d
from rushlight.nn.modules.padding import CircularPad2d as CircularPad2d
from rushlight.nn.modules.padding import CircularPad3d as CircularPad3d
from rushlight.nn.modules.padding import ConstantPad1d as ConstantPad1d
from rushlight.nn.modules.padding import ConstantPad2d as ConstantPad2d
from rushlight.nn.modules.padding import ConstantPad3d as ConstantPad3d
from rushlight.nn.modules.padding import ReflectionPad1d as ReflectionPad1d
from rushlight.nn.modules.padding import ReflectionPad2d as ReflectionPad2d
from rushlight.nn.modules.padding import ReflectionPad3d as ReflectionPad3d
from rushlight.nn.modules.padding import ReplicationPad1d as ReplicationPad1d
from rushlight.nn.modules.padding import ReplicationPad2d as ReplicationPad2d
from rushlight.nn.modules.padding import ReplicationPad3d as ReplicationPad3d
from rushlight.nn.modules.padding import ZeroPad1d as ZeroPad1d
from rushlight.nn.modules.padding import ZeroPad2d as ZeroPad2d
from rushlight.nn.modules.padding import ZeroPad3d as ZeroPad3d
from rushlight.nn.modules.padding import _CircularPadNd as _CircularPadNd
from rushlight.nn.modules.padding import _ConstantPadNd as _ConstantPadNd
from rushlight.nn.modules.padding import _PadNd as _PadNd
from rushlight.nn.modules.padding import _ReflectionPadNd as _ReflectionPadNd
from rushlight.nn.modules.padding import _ReplicationPadNd as _ReplicationPadNd
from rushlight.nn.modules.padding import _ZeroPadNd as _ZeroPadNd
from torch.nn import functional as _of_F

F = _of_F
