"""The generalized Pareto distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence

import rushlight
from rushlight import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import _of_valid_values, _uniform, where_valid

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """What exceeds a high threshold: density (1 + k z)^(-1 - 1/k) / scale for z = (x - loc) / scale, and exp(-z) /
    scale for k = 0.

    Args:
        loc: the threshold.
        scale: > 0.
        concentration: k, the shape; below 0 the support ends at loc - scale / k.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True
    loc: Tensor
    scale: Tensor
    concentration: Tensor

    def __init__(
        self,
        loc: Tensor | float,
        scale: Tensor | float,
        concentration: Tensor | float,
        validate_args: bool | None = None,
    ) -> None:
        self._hold_(validate_args, loc=loc, scale=scale, concentration=concentration)

    expand = Distribution._expanded_

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.icdf(_uniform(self._extended_shape(sample_shape), self.loc))

    def _shape_(self) -> tuple[Tensor, Tensor]:
        """Where k is 0, and k with 1 in these places."""
        flat = rushlight.isclose(self.concentration, rushlight.zeros_like(self.concentration))
        return flat, rushlight.where(flat, rushlight.ones_like(self.concentration), self.concentration)

    def _z(self, x: Tensor) -> Tensor:
        return (x - self.loc) / self.scale

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """-(1 + 1/k) log(1 + k z) - log scale."""
        z = self._z(value)
        flat, k = self._shape_()
        return -self.scale.log() - rushlight.where(flat, z, (1 + 1 / k) * (k * z).log1p())

    @_of_valid_values
    def log_survival_function(self, value: Tensor) -> Tensor:
        """log P(X > value) = -log(1 + k z) / k."""
        z = self._z(value)
        flat, k = self._shape_()
        return -rushlight.where(flat, z, (k * z).log1p() / k)

    def log_cdf(self, value: Tensor) -> Tensor:
        """log P(X <= value)."""
        return (-self.log_survival_function(value).exp()).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        return self.log_cdf(value).exp()

    def icdf(self, value: Tensor) -> Tensor:
        """loc + scale ((1 - p)^-k - 1) / k."""
        flat, k = self._shape_()
        log_rest = (-value).log1p()
        return self.loc + self.scale * rushlight.where(flat, -log_rest, (-k * log_rest).expm1() / k)

    @property
    def mean(self) -> Tensor:
        """loc + scale / (1 - k); NaN for k >= 1."""
        return where_valid(
            self.concentration < 1, self.concentration, 0.0, lambda k: self.loc + self.scale / (1 - k), math.nan
        )

    @property
    def variance(self) -> Tensor:
        """scale^2 / ((1 - k)^2 (1 - 2k)); NaN for k >= 1/2."""
        return where_valid(
            self.concentration < 0.5,
            self.concentration,
            0.0,
            lambda k: self.scale**2 / ((1 - k) ** 2 * (1 - 2 * k)),
            math.nan,
        )

    @property
    def mode(self) -> Tensor:
        return self.loc

    def entropy(self) -> Tensor:
        return self.scale.log() + self.concentration + 1

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> constraints.Constraint:
        """[loc, infinity), or [loc, loc - scale / k] for k < 0."""
        ends = where_valid(
            self.concentration < 0, self.concentration, -1.0, lambda k: self.loc - self.scale / k, math.inf
        )
        return constraints.interval(self.loc, ends)
