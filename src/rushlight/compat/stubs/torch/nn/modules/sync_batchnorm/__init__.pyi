# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.modules.normalization import _BatchNorm as _BatchNorm
from rushlight.nn.modules.sync_batchnorm import CrossMapLRN2d as CrossMapLRN2d
from rushlight.nn.modules.sync_batchnorm import SyncBatchNorm as SyncBatchNorm
from torch.nn import functional as _of_F

F = _of_F
