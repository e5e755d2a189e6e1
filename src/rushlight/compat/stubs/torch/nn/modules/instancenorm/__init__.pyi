# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.modules.normalization import InstanceNorm1d as InstanceNorm1d
from rushlight.nn.modules.normalization import InstanceNorm2d as InstanceNorm2d
from rushlight.nn.modules.normalization import InstanceNorm3d as InstanceNorm3d
from rushlight.nn.modules.normalization import _InstanceNorm as _InstanceNorm
from torch.nn import LazyInstanceNorm1d as LazyInstanceNorm1d
from torch.nn import LazyInstanceNorm2d as LazyInstanceNorm2d
from torch.nn import LazyInstanceNorm3d as LazyInstanceNorm3d
