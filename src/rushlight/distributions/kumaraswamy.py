"""The Kumaraswamy distribution."""

from __future__ import annotations

import math

import rushlight
from rushlight import Tensor
from rushlight.distributions._location_scale import OnUnitInterval
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.transforms import AffineTransform, PowerTransform, Transform
from rushlight.distributions.uniform import Uniform
from rushlight.distributions.utils import broadcast_all, euler_constant

__all__ = ["Kumaraswamy"]


class Kumaraswamy(OnUnitInterval, TransformedDistribution):
    """Density a b x^(a - 1) (1 - x^a)^(b - 1) on [0, 1]: like the beta distribution, with a distribution function in
    closed form.

    Args:
        concentration1: a > 0.
        concentration0: b > 0.
    """

    concentration1: Tensor
    concentration0: Tensor

    def __init__(
        self, concentration1: Tensor | float, concentration0: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        base = Uniform(
            rushlight.zeros_like(self.concentration0),
            rushlight.ones_like(self.concentration0),
            validate_args=validate_args,
        )
        steps: list[Transform] = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        super().__init__(base, steps, validate_args=validate_args)

    expand = TransformedDistribution._expanded_

    def _moment_(self, n: int) -> Tensor:
        """E[x^n] = b B(1 + n / a, b)."""
        first = 1 + n / self.concentration1
        b = self.concentration0
        return (first.lgamma() + (b + 1).lgamma() - (first + b).lgamma()).exp()

    @property
    def mean(self) -> Tensor:
        return self._moment_(1)

    @property
    def mode(self) -> Tensor:
        """((a - 1) / (a b - 1))^(1 / a); NaN where a or b is below 1."""
        a, b = self.concentration1, self.concentration0
        log_mode = a.reciprocal() * ((-a.reciprocal()).log1p() - (-(a * b).reciprocal()).log1p() - b.log())
        return rushlight.where((a < 1) | (b < 1), math.nan, log_mode.exp())

    @property
    def variance(self) -> Tensor:
        return self._moment_(2) - self.mean.pow(2)

    def entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        harmonic = (b + 1).digamma() + euler_constant
        return (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - a.log() - b.log()
