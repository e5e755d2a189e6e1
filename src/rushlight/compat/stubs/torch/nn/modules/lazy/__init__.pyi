# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.conv import (
    Conv1d as Conv1d, Conv2d as Conv2d, Conv3d as Conv3d, ConvTranspose1d as ConvTranspose1d, ConvTranspose2d as ConvTranspose2d,
    ConvTranspose3d as ConvTranspose3d,
)
from rushlight.nn.modules.lazy import (
    LazyModuleMixin as LazyModuleMixin, _Lazy as _Lazy, _LazyConv as _LazyConv, _LazyLinear as _LazyLinear, _LazyNorm as _LazyNorm,
)
from rushlight.nn.modules.linear import Linear as Linear
from rushlight.nn.modules.normalization import (
    BatchNorm1d as BatchNorm1d, BatchNorm2d as BatchNorm2d, BatchNorm3d as BatchNorm3d, InstanceNorm1d as InstanceNorm1d,
    InstanceNorm2d as InstanceNorm2d, InstanceNorm3d as InstanceNorm3d,
)
from rushlight.nn.parameter import (
    UninitializedBuffer as UninitializedBuffer, UninitializedParameter as UninitializedParameter, is_lazy as is_lazy,
)
from torch.nn import (
    LazyBatchNorm1d as LazyBatchNorm1d, LazyBatchNorm2d as LazyBatchNorm2d, LazyBatchNorm3d as LazyBatchNorm3d,
    LazyConv1d as LazyConv1d, LazyConv2d as LazyConv2d, LazyConv3d as LazyConv3d, LazyConvTranspose1d as LazyConvTranspose1d,
    LazyConvTranspose2d as LazyConvTranspose2d, LazyConvTranspose3d as LazyConvTranspose3d,
    LazyInstanceNorm1d as LazyInstanceNorm1d, LazyInstanceNorm2d as LazyInstanceNorm2d, LazyInstanceNorm3d as LazyInstanceNorm3d,
    LazyLinear as LazyLinear,
)
