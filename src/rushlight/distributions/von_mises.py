"""The von Mises distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence

import rushlight
from rushlight import Tensor
from rushlight.core.naming import reads
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import _of_valid_values, lazy_property

__all__ = ["VonMises"]


class VonMises(Distribution):
    """Angles of density exp(k cos(x - loc)) / (2 pi I0(k)): the normal distribution's relative on the circle.

    rsample() is differentiable by both parameters, by k implicitly (operators/random/implicit.py). has_rsample is False
    all the same, as in PyTorch, so that programs that choose an estimator by it choose the same.

    Args:
        loc: an angle.
        concentration: k > 0.
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False
    loc: Tensor
    concentration: Tensor

    def __init__(self, loc: Tensor | float, concentration: Tensor | float, validate_args: bool | None = None) -> None:
        self._hold_(validate_args, loc=loc, concentration=concentration)

    expand = Distribution._expanded_
    mean = reads("loc", Tensor, "The circular mean.")
    mode = reads("loc", Tensor, "The most likely angle: the mean.")

    @lazy_property
    def variance(self) -> Tensor:
        """The circular variance, 1 - I1(k) / I0(k)."""
        k = self.concentration
        return 1 - rushlight.special.i1e(k) / rushlight.special.i0e(k)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Angles in [-pi, pi)."""
        concentration = self.concentration.expand(self._extended_shape(sample_shape))
        around = rushlight._sample_von_mises(concentration)  # type: ignore[attr-defined]
        return (around + math.pi + self.loc) % (2 * math.pi) - math.pi  # type: ignore[no-any-return]

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """k cos(x - loc) - log(2 pi I0(k))."""
        k = self.concentration
        return k * ((value - self.loc).cos() - 1) - math.log(2 * math.pi) - rushlight.special.i0e(k).log()
