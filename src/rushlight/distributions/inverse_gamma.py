"""The inverse gamma distribution."""

from __future__ import annotations

import math

from rushlight import Tensor
from rushlight.core.naming import reads
from rushlight.distributions import constraints
from rushlight.distributions.gamma import Gamma
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.transforms import PowerTransform
from rushlight.distributions.utils import where_valid

__all__ = ["InverseGamma"]


class InverseGamma(TransformedDistribution):
    """1 / x for x of a gamma distribution.

    Args:
        concentration, rate: those of the gamma distribution, > 0.
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Tensor | float, rate: Tensor | float, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    expand = TransformedDistribution._expanded_
    concentration = reads("base_dist.concentration", Tensor, "The gamma distribution's shape.")
    rate = reads("base_dist.rate", Tensor, "The gamma distribution's rate.")

    @property
    def mean(self) -> Tensor:
        """rate / (a - 1); infinite for a <= 1."""
        return where_valid(self.concentration > 1, self.concentration, 2.0, lambda a: self.rate / (a - 1), math.inf)

    @property
    def mode(self) -> Tensor:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        """rate^2 / ((a - 1)^2 (a - 2)); infinite for a <= 2."""
        square = self.rate.square()
        return where_valid(
            self.concentration > 2, self.concentration, 3.0, lambda a: square / ((a - 1).square() * (a - 2)), math.inf
        )

    def entropy(self) -> Tensor:
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()
