"""Normalization of each channel of each example."""

from __future__ import annotations

import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.core.warning import warn
from rushlight.operators.table.types import Device, DType

from .batchnorm import _NormBase

__all__ = ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"]


class _InstanceNorm(_NormBase):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Device = None,
        dtype: DType = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _channel_dim_(self, input: Tensor) -> int:
        return int(input.dim() == self._ranks_[1])  # without a batch it comes first

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        batched = self._channel_dim_(input) == 1
        channels = input.size(self._channel_dim_(input))
        if channels != self.num_features and self.affine:
            raise ValueError(
                f"{type(self).__name__}: the input must have {self.num_features} channels (num_features); found "
                f"{channels}"
            )
        if channels != self.num_features:
            warn(
                f"{type(self).__name__}: the input has {channels} channels, num_features is {self.num_features}; "
                "nothing "
                "depends on it while affine=False"
            )
        stats = (self.running_mean, self.running_var)
        scale = (self.weight, self.bias)
        by_input = self.training or not self.track_running_stats
        batch = input if batched else input[None]
        output = F.instance_norm(batch, *stats, *scale, by_input, self.momentum or 0.0, self.eps)
        return output if batched else output[0]


class InstanceNorm1d(_InstanceNorm):
    """Normalization over L of a (N, C, L) or (C, L) input (Ulyanov et al. 2016, arXiv:1607.08022)."""

    _ranks_ = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Normalization over H, W of a (N, C, H, W) or (C, H, W) input."""

    _ranks_ = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Normalization over D, H, W of a (N, C, D, H, W) or (C, D, H, W) input."""

    _ranks_ = (4, 5)
