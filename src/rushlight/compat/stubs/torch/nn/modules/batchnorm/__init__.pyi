# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.modules.normalization import (
    BatchNorm1d as BatchNorm1d, BatchNorm2d as BatchNorm2d, BatchNorm3d as BatchNorm3d, _BatchNorm as _BatchNorm,
    _NormBase as _NormBase,
)
from rushlight.nn.modules.sync_batchnorm import SyncBatchNorm as SyncBatchNorm
from torch.nn import (
    LazyBatchNorm1d as LazyBatchNorm1d, LazyBatchNorm2d as LazyBatchNorm2d, LazyBatchNorm3d as LazyBatchNorm3d,
)
