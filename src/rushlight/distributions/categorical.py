"""The categorical distribution."""

from __future__ import annotations

from collections.abc import Sequence

import rushlight
from rushlight import Size, Tensor
from rushlight.distributions import constraints
from rushlight.distributions._parameters import ProbsOrLogits
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import _of_valid_values, broadcast_all

__all__ = ["Categorical"]


class Categorical(ProbsOrLogits):
    """One of K categories, the numbers 0 to K - 1.

    Args:
        probs: weights of the categories along the last dimension, which are divided by their sum; or logits: logarithms
            of weights.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True
    _is_binary_ = False
    _more_parameters_ = {"_param": 1}

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        name, value = self._chosen_(probs, logits)
        if value.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        self._param = (
            value / value.sum(-1, keepdim=True) if name == "probs" else value - value.logsumexp(-1, keepdim=True)
        )
        self.__dict__[name] = self._param
        self._num_events = self._param.shape[-1]
        Distribution.__init__(self, self._param.shape[:-1], validate_args=validate_args)

    _shared_ = ("_num_events",)
    expand = Distribution._expanded_

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> constraints.Constraint:
        """The numbers of the categories."""
        return constraints.integer_interval(0, self._num_events - 1)

    def _undefined_(self) -> Tensor:
        shape = self._extended_shape()
        return rushlight.full(shape, rushlight.nan, dtype=self._param.dtype, device=self._param.device)

    @property
    def mean(self) -> Tensor:
        """NaN: categories are no quantities."""
        return self._undefined_()

    @property
    def mode(self) -> Tensor:
        return self.probs.argmax(dim=-1)

    @property
    def variance(self) -> Tensor:
        """NaN: categories are no quantities."""
        return self._undefined_()

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sample_shape = Size(sample_shape)
        with rushlight.no_grad():
            rows = self.probs.reshape(-1, self._num_events)
            return rushlight.multinomial(rows, sample_shape.numel(), True).T.reshape(self._extended_shape(sample_shape))

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of category `value`."""
        value, logits = broadcast_all(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        # a logit of -inf belongs to a probability of 0, and 0 log 0 is 0
        return -(self.logits.clamp(min=rushlight.finfo(self.logits.dtype).min) * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self._enumerated_(
            rushlight.arange(self._num_events, dtype=rushlight.long, device=self._param.device), expand
        )
