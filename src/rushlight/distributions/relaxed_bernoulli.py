"""The continuous relaxation of the Bernoulli distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.distributions import constraints
from rushlight.distributions._parameters import ProbsOrLogits
from rushlight.distributions._relaxed import Mapped, Relaxed
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.transforms import SigmoidTransform
from rushlight.distributions.utils import _of_valid_values, _open_uniform, broadcast_all, clamp_probs, probs_to_logits

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(Relaxed, ProbsOrLogits):
    """(logit(U) + logits) / temperature: the log odds of a relaxed Bernoulli number (Maddison, Mnih & Teh, ICLR 2017;
    Jang, Gu & Poole, ICLR 2017).

    Args:
        temperature: a tensor > 0. probs, or logits: of the Bernoulli distribution that a temperature of 0 gives.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real
    temperature: Tensor

    def _relax_(self, temperature: Tensor, probs: Any, logits: Any, validate_args: bool | None) -> None:
        self.temperature = temperature
        ProbsOrLogits.__init__(self, probs, logits, validate_args)

    _shared_ = ("temperature",)
    expand = Distribution._expanded_

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        return (probs_to_logits(_open_uniform(shape, probs), True) + probs_to_logits(probs, True)) / self.temperature

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """log t + d - 2 log(1 + exp(d)), for d = logits - t x."""
        logits, value = broadcast_all(self.logits, value)
        d = logits - value.mul(self.temperature)
        return rushlight.as_tensor(self.temperature).log() + d - 2 * F.softplus(d)


class RelaxedBernoulli(Mapped):
    """A number in (0, 1) that stands for a Bernoulli number and is differentiable by its probability.

    Args:
        temperature: a tensor > 0; the nearer to 0, the nearer the numbers are to 0 and 1. probs, or logits: of the
            Bernoulli distribution.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    _logarithms_, _map_ = LogitRelaxedBernoulli, SigmoidTransform

    expand = TransformedDistribution._expanded_
