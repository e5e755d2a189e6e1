"""The Cauchy distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence

import rushlight
from rushlight import Tensor
from rushlight.distributions._location_scale import LocationScale
from rushlight.distributions.utils import _empty, _of_valid_values

__all__ = ["Cauchy"]


class Cauchy(LocationScale):
    """Density scale / (pi (scale^2 + (x - loc)^2)): the ratio of two normal numbers.

    Args:
        loc: the median.
        scale: half the width at half the height, > 0.
    """

    def _everywhere_(self, value: float) -> Tensor:
        return rushlight.full(self._extended_shape(), value, dtype=self.loc.dtype, device=self.loc.device)

    @property
    def mean(self) -> Tensor:
        """NaN: there is none."""
        return self._everywhere_(math.nan)

    @property
    def variance(self) -> Tensor:
        return self._everywhere_(math.inf)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.loc + _empty(self._extended_shape(sample_shape), self.loc).cauchy_() * self.scale

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """-log(pi scale) - log(1 + ((x - loc) / scale)^2)."""
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    @_of_valid_values
    def cdf(self, value: Tensor) -> Tensor:
        return ((value - self.loc) / self.scale).atan() / math.pi + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        return (math.pi * (value - 0.5)).tan() * self.scale + self.loc

    def entropy(self) -> Tensor:
        return math.log(4 * math.pi) + self.scale.log()
