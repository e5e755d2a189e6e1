"""The Weibull distribution."""

from __future__ import annotations

import rushlight
from rushlight import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.exponential import Exponential
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.transforms import AffineTransform, PowerTransform, Transform
from rushlight.distributions.utils import broadcast_all, euler_constant

__all__ = ["Weibull"]


class Weibull(TransformedDistribution):
    """scale E^(1 / k) for E of the exponential distribution of rate 1.

    Args:
        scale: > 0.
        concentration: k, the shape, > 0.
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive
    _more_parameters_ = {"concentration_reciprocal": 0}
    scale: Tensor
    concentration: Tensor
    concentration_reciprocal: Tensor

    def __init__(self, scale: Tensor | float, concentration: Tensor | float, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        steps: list[Transform] = [
            PowerTransform(exponent=self.concentration_reciprocal),
            AffineTransform(loc=0, scale=self.scale),
        ]
        super().__init__(
            Exponential(rushlight.ones_like(self.scale), validate_args=validate_args),
            steps,
            validate_args=validate_args,
        )

    expand = TransformedDistribution._expanded_

    @property
    def mean(self) -> Tensor:
        return self.scale * (1 + self.concentration_reciprocal).lgamma().exp()

    @property
    def mode(self) -> Tensor:
        return self.scale * ((self.concentration - 1) / self.concentration) ** self.concentration.reciprocal()

    @property
    def variance(self) -> Tensor:
        one, two = ((1 + k * self.concentration_reciprocal).lgamma() for k in (1, 2))
        return self.scale.pow(2) * (two.exp() - (2 * one).exp())

    def entropy(self) -> Tensor:
        return (
            euler_constant * (1 - self.concentration_reciprocal)
            + (self.scale * self.concentration_reciprocal).log()
            + 1
        )
