"""The half normal distribution."""

from __future__ import annotations

import math

from rushlight import Tensor
from rushlight.distributions._location_scale import Half
from rushlight.distributions.normal import Normal

__all__ = ["HalfNormal"]


class HalfNormal(Half):
    """|x| for x of a normal distribution about 0 of the scale given."""

    _whole_ = Normal

    @property
    def mean(self) -> Tensor:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Tensor:
        return self.scale.pow(2) * (1 - 2 / math.pi)
