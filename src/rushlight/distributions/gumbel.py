"""The Gumbel distribution."""

from __future__ import annotations

import math

import rushlight
from rushlight import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.transforms import AffineTransform, ExpTransform, Transform
from rushlight.distributions.uniform import Uniform
from rushlight.distributions.utils import _of_valid_values, broadcast_all, euler_constant

__all__ = ["Gumbel"]


class Gumbel(TransformedDistribution):
    """loc - scale log(-log U): the limit of the largest of many numbers.

    Args:
        loc: the mode.
        scale: > 0.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    loc: Tensor
    scale: Tensor

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        limits = rushlight.finfo(self.loc.dtype)
        base = Uniform(
            rushlight.full_like(self.loc, limits.tiny),
            rushlight.full_like(self.loc, 1 - limits.eps),
            validate_args=validate_args,
        )
        steps: list[Transform] = [
            ExpTransform().inv,
            AffineTransform(0, -rushlight.ones_like(self.scale)),
            ExpTransform().inv,
            AffineTransform(self.loc, -self.scale),
        ]
        super().__init__(base, steps, validate_args=validate_args)

    expand = TransformedDistribution._expanded_

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """y - exp(y) - log scale, for y = (loc - x) / scale."""
        y = (self.loc - value) / self.scale
        return y - y.exp() - self.scale.log()

    @property
    def mean(self) -> Tensor:
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return math.pi / math.sqrt(6) * self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + euler_constant)
