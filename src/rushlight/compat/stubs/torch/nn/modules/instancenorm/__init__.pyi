# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.modules.normalization import (
    InstanceNorm1d as InstanceNorm1d, InstanceNorm2d as InstanceNorm2d, InstanceNorm3d as InstanceNorm3d,
    _InstanceNorm as _InstanceNorm,
)
from torch.nn import (
    LazyInstanceNorm1d as LazyInstanceNorm1d, LazyInstanceNorm2d as LazyInstanceNorm2d, LazyInstanceNorm3d as LazyInstanceNorm3d,
)
