"""The normal distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rushlight import Tensor
from rushlight.distributions._location_scale import LocationScale
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.distributions.utils import _of_valid_values, _standard_normal

__all__ = ["Normal"]


class Normal(LocationScale, ExponentialFamily):
    """Density exp(-(x - loc)^2 / (2 scale^2)) / (scale sqrt(2 pi)).

    Args:
        loc: the mean.
        scale: the standard deviation, > 0.
    """

    _mean_carrier_measure = 0

    @property
    def stddev(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return (
            self.loc
            + _standard_normal(self._extended_shape(sample_shape), self.loc.dtype, self.loc.device) * self.scale
        )

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """-(x - loc)^2 / (2 scale^2) - log scale - log(2 pi) / 2."""
        return -((value - self.loc) ** 2) / (2 * self.variance) - self.scale.log() - 0.5 * math.log(2 * math.pi)

    @_of_valid_values
    def cdf(self, value: Tensor) -> Tensor:
        return 0.5 * (1 + ((value - self.loc) / self.scale / math.sqrt(2)).erf())

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc + self.scale * (2 * value - 1).erfinv() * math.sqrt(2)

    def entropy(self) -> Tensor:
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return self.loc / self.variance, -0.5 / self.variance

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        x, y = natural_params
        return -0.25 * x**2 / y + 0.5 * (-math.pi / y).log()
