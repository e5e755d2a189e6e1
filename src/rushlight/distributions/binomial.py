"""The binomial distribution."""

from __future__ import annotations

from collections.abc import Sequence

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.distributions import constraints
from rushlight.distributions._parameters import OfCount
from rushlight.distributions.utils import _of_valid_values

__all__ = ["Binomial"]


class Binomial(OfCount):
    """The number of successes in total_count trials.

    Args:
        total_count: how many trials, an int or a tensor of whole numbers.
        probs: the probability of a success; or logits: its log odds.
    """

    arg_constraints = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    def __init__(
        self,
        total_count: Tensor | float = 1,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        super().__init__(total_count, probs, logits, validate_args)

    expand = OfCount._expanded_

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> constraints.Constraint:
        """Whole numbers from 0 to total_count."""
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with rushlight.no_grad():
            return rushlight.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """log of the binomial coefficient, + value log p + (total_count - value) log(1 - p)."""
        n = self.total_count
        ways = (n + 1).lgamma() - (value + 1).lgamma() - (n - value + 1).lgamma()
        return ways + value * self.logits - n * F.softplus(self.logits)

    def _count_(self, name: str) -> int:
        """total_count, which must be one number for the whole batch."""
        most = int(self.total_count.max())
        if int(self.total_count.min()) != most:
            raise NotImplementedError(
                f"Binomial.{name}(): 'total_count' must be equal in the whole batch; found counts up to {most} that "
                "differ"
            )
        return most

    def entropy(self) -> Tensor:
        self._count_("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(log_prob.exp() * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self._enumerated_(
            rushlight.arange(1 + self._count_("enumerate_support"), dtype=self._param.dtype, device=self._param.device),
            expand,
        )
