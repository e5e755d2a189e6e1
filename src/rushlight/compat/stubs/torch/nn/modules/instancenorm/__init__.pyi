# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.batchnorm import _NormBase as _NormBase
from rushlight.nn.modules.instancenorm import InstanceNorm1d as InstanceNorm1d
from rushlight.nn.modules.instancenorm import InstanceNorm2d as InstanceNorm2d
from rushlight.nn.modules.instancenorm import InstanceNorm3d as InstanceNorm3d
from rushlight.nn.modules.instancenorm import _InstanceNorm as _InstanceNorm
from torch.nn import LazyInstanceNorm1d as LazyInstanceNorm1d
from torch.nn import LazyInstanceNorm2d as LazyInstanceNorm2d
from torch.nn import LazyInstanceNorm3d as LazyInstanceNorm3d
from torch.nn import functional as _of_F

F = _of_F
