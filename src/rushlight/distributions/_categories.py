"""What the distributions over vectors with an entry for each category share."""

from __future__ import annotations

from typing import Any

from rushlight import Size, Tensor
from rushlight.core.naming import reads
from rushlight.distributions import constraints
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.distribution import Distribution

__all__ = ["OverCategories"]


class OverCategories(Distribution):
    """A distribution over vectors with an entry for each of the categories that it holds."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    _more_parameters_ = {"_categorical": 0}
    _categorical: Categorical

    probs = reads("_categorical.probs", Tensor, "The probabilities.")
    logits = reads("_categorical.logits", Tensor, "The logarithms of the probabilities.")
    param_shape = reads("_categorical.param_shape", Size, "The shape of probs and logits.")

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._categorical._new(*args, **kwargs)
