"""The half Cauchy distribution."""

from __future__ import annotations

import math

import rushlight
from rushlight import Tensor
from rushlight.distributions._location_scale import Half
from rushlight.distributions.cauchy import Cauchy

__all__ = ["HalfCauchy"]


class HalfCauchy(Half):
    """|x| for x of a Cauchy distribution about 0 of the scale given."""

    _whole_ = Cauchy

    @property
    def mean(self) -> Tensor:
        return rushlight.full(self._extended_shape(), math.inf, dtype=self.scale.dtype, device=self.scale.device)

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance
