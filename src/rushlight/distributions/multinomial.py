"""The multinomial distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rushlight
from rushlight import Size, Tensor
from rushlight.core.naming import reads
from rushlight.distributions import constraints
from rushlight.distributions.binomial import Binomial
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import _of_valid_values, broadcast_all

__all__ = ["Multinomial"]


class Multinomial(Distribution):
    """How often each of K categories comes up in total_count trials.

    Args:
        total_count: an int.
        probs: weights of the categories along the last dimension; or logits: logarithms of weights.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    total_count: int

    def __init__(
        self,
        total_count: int = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError(
                "Multinomial: 'total_count' must be an int, one for the whole batch; found "
                f"{type(total_count).__name__}"
            )
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Distribution | None = None) -> Any:
        new = self._get_checked_instance(Multinomial, _instance)
        batch_shape = Size(batch_shape)
        new.total_count = self.total_count
        new._categorical = self._categorical.expand(batch_shape)
        new._binomial = self._binomial.expand(batch_shape + self.event_shape)
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    probs = reads("_categorical.probs", Tensor, "The probabilities.")
    logits = reads("_categorical.logits", Tensor, "The logarithms of the probabilities.")
    param_shape = reads("_categorical.param_shape", Size, "The shape of probs and logits.")

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._categorical._new(*args, **kwargs)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> constraints.Constraint:
        """Vectors of counts whose sum is total_count at most."""
        return constraints.multinomial(self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sample_shape = Size(sample_shape)
        draws = self._categorical.sample(Size((self.total_count,)) + sample_shape)
        draws = draws.movedim(0, -1)
        counts = draws.new_zeros(self._extended_shape(sample_shape)).scatter_add(-1, draws, rushlight.ones_like(draws))
        return counts.to(self.probs.dtype)

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """log of n! / (product of value!), + sum of value log p."""
        logits, value = broadcast_all(self.logits, value)
        chance = rushlight.where((value == 0) & (logits == -rushlight.inf), 0.0, logits) * value
        return (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1) + chance.sum(-1)

    def entropy(self) -> Tensor:
        """n H(p) - log n! + the mean of the sum of log counts!, which the binomial distribution of each count gives."""
        n = rushlight.tensor(self.total_count, dtype=self.probs.dtype, device=self.probs.device)
        counts = self._binomial.enumerate_support(expand=False)[1:]
        weights = self._binomial.log_prob(counts).exp()
        return n * self._categorical.entropy() - (n + 1).lgamma() + (weights * (counts + 1).lgamma()).sum([0, -1])
