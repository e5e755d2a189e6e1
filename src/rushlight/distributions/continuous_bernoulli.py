"""The continuous Bernoulli distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence

import rushlight
from rushlight import Tensor
from rushlight.distributions import constraints
from rushlight.distributions._parameters import ProbsOrLogits
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.distributions.utils import (
    _of_valid_values,
    _uniform,
    broadcast_all,
    clamp_probs,
    lazy_property,
    logits_to_probs,
    probs_to_logits,
)
from rushlight.nn.functional import binary_cross_entropy_with_logits

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(ProbsOrLogits, ExponentialFamily):
    """Density C(p) p^x (1 - p)^(1 - x) on [0, 1] (G. Loaiza-Ganem & J. P. Cunningham, NeurIPS 2019).

    C(p) = 2 artanh(1 - 2p) / (1 - 2p), and 2 at p = 1/2, where it and what follows from it are computed by series.

    Args:
        probs: p in (0, 1); or logits: log(p / (1 - p)).
        lims: the range of p about 1/2 where the series are taken.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        name, value = self._chosen_(probs, logits)
        (self._param,) = broadcast_all(value)
        if name == "probs":
            self._param = clamp_probs(self._param)
        self._lims = lims
        self._hold_(validate_args, **{name: self._param})

    _shared_ = ("_lims",)
    expand = Distribution._expanded_

    @lazy_property
    def logits(self) -> Tensor:
        """The log odds of probs."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        """p, kept away from 0 and 1."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _outside_unstable_region(self) -> Tensor:
        """Whether p is far enough from 1/2 for the formulas."""
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut_probs(self) -> Tensor:
        """p, with a stable value in the places where the series are taken."""
        return rushlight.where(
            self._outside_unstable_region(), self.probs, self._lims[0] * rushlight.ones_like(self.probs)
        )

    def _cont_bern_log_norm(self) -> Tensor:
        """log C(p)."""
        p = self._cut_probs()
        exact = ((-p).log1p() - p.log()).abs().log() - (1 - 2 * p).abs().log()
        x = (self.probs - 0.5) ** 2
        return rushlight.where(
            self._outside_unstable_region(), exact, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        )

    @property
    def mean(self) -> Tensor:
        p = self._cut_probs()
        exact = p / (2 * p - 1) + 1 / ((-p).log1p() - p.log())
        x = self.probs - 0.5
        return rushlight.where(self._outside_unstable_region(), exact, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x**2) * x)

    @property
    def stddev(self) -> Tensor:
        return self.variance.sqrt()

    @property
    def variance(self) -> Tensor:
        p = self._cut_probs()
        exact = p * (p - 1) / (1 - 2 * p) ** 2 + 1 / ((-p).log1p() - p.log()) ** 2
        x = (self.probs - 0.5) ** 2
        return rushlight.where(
            self._outside_unstable_region(), exact, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        )

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.icdf(_uniform(self._extended_shape(sample_shape), self.probs))

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """x log p + (1 - x) log(1 - p) + log C(p)."""
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none") + self._cont_bern_log_norm()

    @_of_valid_values
    def cdf(self, value: Tensor) -> Tensor:
        p = self._cut_probs()
        exact = (p**value * (1 - p) ** (1 - value) + p - 1) / (2 * p - 1)
        found = rushlight.where(self._outside_unstable_region(), exact, value)
        return rushlight.where(value <= 0, 0.0, rushlight.where(value >= 1, 1.0, found))

    def icdf(self, value: Tensor) -> Tensor:
        p = self._cut_probs()
        exact = ((-p + value * (2 * p - 1)).log1p() - (-p).log1p()) / (p.log() - (-p).log1p())
        return rushlight.where(self._outside_unstable_region(), exact, value)

    def entropy(self) -> Tensor:
        return (
            -self.mean * (self.probs.log() - (-self.probs).log1p()) - self._cont_bern_log_norm() - (-self.probs).log1p()
        )

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.logits,)

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        """log((exp(x) - 1) / x)."""
        (x,) = natural_params
        far = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        kept = rushlight.where(far, x, (self._lims[0] - 0.5) * rushlight.ones_like(x))
        return rushlight.where(far, kept.expm1().abs().log() - kept.abs().log(), 0.5 * x + x**2 / 24.0 - x**4 / 2880.0)
