"""The categorical distribution over one-hot vectors."""

from __future__ import annotations

from collections.abc import Sequence

import rushlight
from rushlight import Tensor
from rushlight.core.naming import reads
from rushlight.distributions import constraints
from rushlight.distributions._categories import OverCategories
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import _of_valid_values, one_hot

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OneHotCategorical(OverCategories):
    """One of K categories, as a vector with a 1 at its place.

    Args:
        probs: weights of the categories along the last dimension, which are divided by their sum; or logits: logarithms
            of weights.
    """

    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    expand = Distribution._expanded_
    _param = reads("_categorical._param", Tensor, "The parameter that was given.")

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        return self._vectors_(self.probs.argmax(dim=-1))

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def _vectors_(self, categories: Tensor) -> Tensor:
        return one_hot(categories, self._event_shape[0], self._param)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self._vectors_(self._categorical.sample(sample_shape))

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of the category where `value` is 1."""
        return self._categorical.log_prob(value.argmax(dim=-1))

    def entropy(self) -> Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self._enumerated_(
            rushlight.eye(self._event_shape[0], dtype=self._param.dtype, device=self._param.device), expand
        )


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """One-hot vectors whose samples have the gradient of their probabilities (Y. Bengio et al., arXiv:1308.3432): the
    straight-through estimator.
    """

    has_rsample = True

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        probs = self.probs
        return self.sample(sample_shape) + (probs - probs.detach())
