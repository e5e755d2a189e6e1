"""The geometric distribution."""

from __future__ import annotations

from collections.abc import Sequence

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.distributions import constraints
from rushlight.distributions._parameters import ProbsOrLogits
from rushlight.distributions.distribution import holds
from rushlight.distributions.utils import _of_valid_values, _uniform, broadcast_all

__all__ = ["Geometric"]


class Geometric(ProbsOrLogits):
    """The number of failures before the first success: P(k) = (1 - p)^k p.

    Args:
        probs: p in (0, 1]; or logits: log(p / (1 - p)).
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer
    _more_parameters_ = {}  # as PyTorch's, it has no shape of its parameter

    def _check_parameters_(self) -> None:
        super()._check_parameters_()
        if "probs" in self.__dict__ and not holds(constraints.positive, self.probs):
            raise ValueError(
                f"Expected parameter probs (Tensor of shape {tuple(self.probs.shape)}) of distribution {self!r} to "
                "be positive; found other values"
            )

    expand = ProbsOrLogits._expanded_

    @property
    def mean(self) -> Tensor:
        return 1 / self.probs - 1

    @property
    def mode(self) -> Tensor:
        return rushlight.zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        return (1 / self.probs - 1) / self.probs

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """floor(log U / log(1 - p))."""
        shape = self._extended_shape(sample_shape)
        with rushlight.no_grad():
            u = _uniform(shape, self.probs).clamp(min=rushlight.finfo(self.probs.dtype).tiny)
            return (u.log() / (-self.probs.expand(shape)).log1p()).floor()

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """value log(1 - p) + log p."""
        value, probs = broadcast_all(value, self.probs)
        certain = (probs == 1) & (value == 0)
        return value * (-probs.masked_fill(certain, 0)).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs
