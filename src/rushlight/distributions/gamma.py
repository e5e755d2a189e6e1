"""The gamma distribution."""

from __future__ import annotations

from collections.abc import Sequence

import rushlight
from rushlight import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.distributions.utils import _of_valid_values

__all__ = ["Gamma"]


class Gamma(ExponentialFamily):
    """Density rate^a x^(a - 1) exp(-rate x) / Gamma(a) for x >= 0. Samples are differentiable by a implicitly
    (operators/random/implicit.py).

    Args:
        concentration: a, the shape, > 0.
        rate: > 0.
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    concentration: Tensor
    rate: Tensor

    def __init__(self, concentration: Tensor | float, rate: Tensor | float, validate_args: bool | None = None) -> None:
        self._hold_(validate_args, concentration=concentration, rate=rate)

    expand = Distribution._expanded_

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        concentration = self.concentration.expand(self._extended_shape(sample_shape))
        standard = rushlight._standard_gamma(concentration)  # type: ignore[attr-defined]
        return (standard / self.rate).clamp(min=rushlight.finfo(standard.dtype).tiny)  # type: ignore[no-any-return]

    def log_prob(self, value: Tensor) -> Tensor:
        """a log rate + (a - 1) log x - rate x - log Gamma(a); alone among distributions it takes a number, too."""
        value = rushlight.as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        if self._validate_args:
            self._validate_sample(value)
        a, rate = self.concentration, self.rate
        return rushlight.xlogy(a, rate) + rushlight.xlogy(a - 1, value) - rate * value - a.lgamma()

    @_of_valid_values
    def cdf(self, value: Tensor) -> Tensor:
        return rushlight.igamma(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        a = self.concentration
        return a - self.rate.log() + a.lgamma() + (1.0 - a) * a.digamma()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        x, y = natural_params
        return (x + 1).lgamma() - (x + 1) * (-y).log()
