"""The negative binomial distribution."""

from __future__ import annotations

from collections.abc import Sequence

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.distributions import constraints
from rushlight.distributions._parameters import ProbsOrLogits
from rushlight.distributions.gamma import Gamma
from rushlight.distributions.utils import _of_valid_values, broadcast_all, lazy_property

__all__ = ["NegativeBinomial"]


class NegativeBinomial(ProbsOrLogits):
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
    total_count: Tensor

    def __init__(
        self,
        total_count: Tensor | float,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        name, value = self._chosen_(probs, logits)
        count, self._param = broadcast_all(total_count, value)
        self._hold_(validate_args, total_count=count.to(self._param.dtype), **{name: self._param})

    expand = ProbsOrLogits._expanded_

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
