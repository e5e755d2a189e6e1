# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules._scaled import Scaled as Scaled
from rushlight.nn.modules.batchnorm import BatchNorm1d as BatchNorm1d
from rushlight.nn.modules.batchnorm import BatchNorm2d as BatchNorm2d
from rushlight.nn.modules.batchnorm import BatchNorm3d as BatchNorm3d
from rushlight.nn.modules.batchnorm import SyncBatchNorm as SyncBatchNorm
from rushlight.nn.modules.batchnorm import _BatchNorm as _BatchNorm
from rushlight.nn.modules.batchnorm import _NormBase as _NormBase
from rushlight.nn.modules.module import Module as Module
from torch.nn import LazyBatchNorm1d as LazyBatchNorm1d
from torch.nn import LazyBatchNorm2d as LazyBatchNorm2d
from torch.nn import LazyBatchNorm3d as LazyBatchNorm3d
from torch.nn import functional as _of_F

F = _of_F
