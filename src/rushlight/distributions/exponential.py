"""The exponential distribution."""

from __future__ import annotations

from collections.abc import Sequence

import rushlight
from rushlight import Tensor
from rushlight.distributions import constraints
from rushlight.distributions._rate import OfRate
from rushlight.distributions.utils import _empty, _of_valid_values

__all__ = ["Exponential"]


class Exponential(OfRate):
    """Density rate exp(-rate x) for x >= 0.

    Args:
        rate: > 0.
    """

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    @property
    def mean(self) -> Tensor:
        return self.rate.reciprocal()

    @property
    def mode(self) -> Tensor:
        return rushlight.zeros_like(self.rate)

    @property
    def stddev(self) -> Tensor:
        return self.rate.reciprocal()

    @property
    def variance(self) -> Tensor:
        return self.rate.pow(-2)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return _empty(self._extended_shape(sample_shape), self.rate).exponential_() / self.rate

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """log rate - rate x."""
        return self.rate.log() - self.rate * value

    @_of_valid_values
    def cdf(self, value: Tensor) -> Tensor:
        return -(-self.rate * value).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        return -(-value).log1p() / self.rate

    def entropy(self) -> Tensor:
        return 1.0 - self.rate.log()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (-self.rate,)

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        (x,) = natural_params
        return -(-x).log()
