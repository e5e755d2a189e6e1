"""The Poisson distribution."""

from __future__ import annotations

from collections.abc import Sequence

import rushlight
from rushlight import Tensor
from rushlight.distributions import constraints
from rushlight.distributions._rate import OfRate
from rushlight.distributions.utils import _of_valid_values, broadcast_all

__all__ = ["Poisson"]


class Poisson(OfRate):
    """P(k) = rate^k exp(-rate) / k!.

    Args:
        rate: >= 0.
    """

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    @property
    def mean(self) -> Tensor:
        return self.rate

    @property
    def mode(self) -> Tensor:
        return self.rate.floor()

    @property
    def variance(self) -> Tensor:
        return self.rate

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with rushlight.no_grad():
            return rushlight.poisson(self.rate.expand(self._extended_shape(sample_shape)))

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """k log rate - rate - log k!."""
        rate, value = broadcast_all(self.rate, value)
        return rushlight.xlogy(value, rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.rate.log(),)

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        (x,) = natural_params
        return x.exp()
