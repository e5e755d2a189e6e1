"""The continuous relaxation of the categorical distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.distributions import constraints
from rushlight.distributions._categories import OverCategories
from rushlight.distributions._relaxed import Mapped, Relaxed
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.transforms import ExpTransform
from rushlight.distributions.utils import _of_valid_values, _open_uniform, broadcast_all

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(Relaxed, OverCategories):
    """Logarithms of a relaxed one-hot vector: log softmax((logits + Gumbel numbers) / temperature) (Maddison, Mnih &
    Teh, ICLR 2017).

    Args:
        temperature: a tensor > 0. probs, or logits: of the categories, along the last dimension.
    """

    support = constraints.real_vector  # those whose exponentials have the sum 1
    has_rsample = True
    _shared_ = ("temperature",)
    temperature: Tensor

    def _relax_(self, temperature: Tensor, probs: Any, logits: Any, validate_args: bool | None) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        made = self._categorical
        Distribution.__init__(self, made.batch_shape, made.param_shape[-1:], validate_args)

    expand = Distribution._expanded_

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        gumbels = -(-_open_uniform(shape, self.logits).log()).log()
        scores = (self.logits + gumbels) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """log (K - 1)! + (K - 1) log t + the sum of log softmax(logits - t x)."""
        k = self._categorical._num_events
        logits, value = broadcast_all(self.logits, value)
        t = rushlight.as_tensor(self.temperature, dtype=logits.dtype)
        log_scale = rushlight.full_like(t, float(k)).lgamma() + t.log() * (k - 1)
        score = logits - value.mul(t)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + log_scale


class RelaxedOneHotCategorical(Mapped):
    """A vector of the simplex that stands for a one-hot vector and is differentiable by the probabilities.

    Args:
        temperature: a tensor > 0; the nearer to 0, the nearer the vectors are to one-hot. probs, or logits: of the
            categories.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    _logarithms_, _map_ = ExpRelaxedCategorical, ExpTransform

    expand = TransformedDistribution._expanded_
