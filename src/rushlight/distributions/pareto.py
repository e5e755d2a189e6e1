"""The Pareto distribution."""

from __future__ import annotations

import math

from rushlight import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.exponential import Exponential
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.transforms import AffineTransform, ExpTransform, Transform
from rushlight.distributions.utils import broadcast_all, where_valid

__all__ = ["Pareto"]


class Pareto(TransformedDistribution):
    """Density alpha scale^alpha / x^(alpha + 1) for x >= scale.

    Args:
        scale: the least value, > 0.
        alpha: the exponent of the tail, > 0.
    """

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}
    scale: Tensor
    alpha: Tensor

    def __init__(self, scale: Tensor | float, alpha: Tensor | float, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        steps: list[Transform] = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(Exponential(self.alpha, validate_args=validate_args), steps, validate_args=validate_args)

    expand = TransformedDistribution._expanded_

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> constraints.Constraint:
        """Numbers of at least scale."""
        return constraints.greater_than_eq(self.scale)

    @property
    def mean(self) -> Tensor:
        """alpha scale / (alpha - 1); infinite for alpha <= 1."""
        return where_valid(self.alpha > 1, self.alpha, 2.0, lambda a: a * self.scale / (a - 1), math.inf)

    @property
    def mode(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        """alpha scale^2 / ((alpha - 1)^2 (alpha - 2)); infinite for alpha <= 2."""
        return where_valid(
            self.alpha > 2, self.alpha, 3.0, lambda a: self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2)), math.inf
        )

    def entropy(self) -> Tensor:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())
