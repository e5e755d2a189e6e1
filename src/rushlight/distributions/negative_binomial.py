"""The negative binomial distribution."""

from __future__ import annotations

from collections.abc import Sequence

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.distributions import constraints
from rushlight.distributions._parameters import OfCount
from rushlight.distributions.gamma import Gamma
from rushlight.distributions.utils import _of_valid_values, lazy_property

__all__ = ["NegativeBinomial"]


class NegativeBinomial(OfCount):
    """The number of successes before total_count failures.

    Args:
        total_count: how many failures end it, at least 0, not necessarily whole.
        probs: of a success, in [0, 1); or logits: its log odds.
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    expand = OfCount._expanded_

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        return self.mean / (-self.logits).sigmoid()

    @lazy_property
    def _gamma(self) -> Gamma:
        """The distribution of the rate of the Poisson numbers that it is a mixture of."""
        return Gamma(concentration=self.total_count, rate=(-self.logits).exp(), validate_args=False)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with rushlight.no_grad():
            return rushlight.poisson(self._gamma.sample(sample_shape))

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """log of Gamma(n + value) / (value! Gamma(n)), + n log(1 - p) + value log p."""
        n = self.total_count
        chance = n * F.logsigmoid(-self.logits) + value * F.logsigmoid(self.logits)
        ways = (n + value).lgamma() - (1.0 + value).lgamma() - n.lgamma()
        return chance + ways.masked_fill(n + value == 0.0, 0.0)
