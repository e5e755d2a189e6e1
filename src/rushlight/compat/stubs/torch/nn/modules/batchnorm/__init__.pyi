# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.modules.normalization import BatchNorm1d as BatchNorm1d
from rushlight.nn.modules.normalization import BatchNorm2d as BatchNorm2d
from rushlight.nn.modules.normalization import BatchNorm3d as BatchNorm3d
from rushlight.nn.modules.normalization import _BatchNorm as _BatchNorm
from rushlight.nn.modules.normalization import _NormBase as _NormBase
from rushlight.nn.modules.sync_batchnorm import SyncBatchNorm as SyncBatchNorm
from torch.nn import LazyBatchNorm1d as LazyBatchNorm1d
from torch.nn import LazyBatchNorm2d as LazyBatchNorm2d
from torch.nn import LazyBatchNorm3d as LazyBatchNorm3d
