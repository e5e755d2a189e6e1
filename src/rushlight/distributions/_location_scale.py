"""The common parts of distributions that are moved and stretched by a place and a width, and of their absolute
values."""

from __future__ import annotations

import math

import rushlight
from rushlight import Tensor
from rushlight.core.naming import reads
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.transforms import AbsTransform
from rushlight.distributions.utils import _of_valid_values


class LocationScale(Distribution):
    """A distribution on the reals, symmetric about its highest point.

    Args:
        loc: that point.
        scale: what the distance to it is measured in, > 0.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    loc: Tensor
    scale: Tensor

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None) -> None:
        self._hold_(validate_args, loc=loc, scale=scale)

    expand = Distribution._expanded_

    @property
    def mean(self) -> Tensor:
        return self.loc

    mode = mean


class OnUnitInterval(Distribution):
    """A distribution on [0, 1] with a weight at each end."""

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True


class Half(TransformedDistribution):
    """|x| for x of a distribution `_whole` about 0.

    Args:
        scale: of the whole distribution, > 0.
    """

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _whole_: type[LocationScale]

    def __init__(self, scale: Tensor | float, validate_args: bool | None = None) -> None:
        super().__init__(self._whole_(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    expand = TransformedDistribution._expanded_
    scale = reads("base_dist.scale", Tensor, "The scale of the whole distribution.")

    @property
    def mode(self) -> Tensor:
        return rushlight.zeros_like(self.scale)

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """The whole distribution's, + log 2; -inf below 0."""
        value = rushlight.as_tensor(value, dtype=self.scale.dtype, device=self.scale.device)
        return rushlight.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    @_of_valid_values
    def cdf(self, value: Tensor) -> Tensor:
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value: Tensor) -> Tensor:
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)
