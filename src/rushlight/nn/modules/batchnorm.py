"""PyTorch's name for a part of normalization.py: programs and saved modules ask for it here."""

from __future__ import annotations

from .lazy import LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d
from .normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d, _BatchNorm, _NormBase
from .sync_batchnorm import SyncBatchNorm

__all__ = [
    "SyncBatchNorm",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "_BatchNorm",
    "_NormBase",
]
