"""Distributions that take probabilities or their logits: alone, or with a number of trials."""

from __future__ import annotations

from typing import Any

from rushlight import Size, Tensor
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits

__all__ = ["OfCount", "ProbsOrLogits"]


class ProbsOrLogits(Distribution):
    """A distribution that is made of `probs` or of `logits`: the other of them is computed when it is first read."""

    _is_binary_ = True  # log odds of one probability each, or logarithms of a vector of them
    _more_parameters_ = {"_param": 0}

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        name, value = self._chosen_(probs, logits)
        (held,) = broadcast_all(value)
        self.__dict__.update(dict.fromkeys(self._more_parameters_, held))
        self._hold_(validate_args, **{name: held})

    @staticmethod
    def _chosen_(probs: Any, logits: Any) -> tuple[str, Any]:
        """The name and value of the parameter that was given.

        Raises:
            ValueError: unless it is one of the two.
        """
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        return ("logits", logits) if probs is None else ("probs", probs)

    @lazy_property
    def logits(self) -> Tensor:
        """The log odds of probs, or the logarithms of a vector of probabilities; finite, since probs are clamped."""
        return probs_to_logits(self.probs, is_binary=self._is_binary_)

    @lazy_property
    def probs(self) -> Tensor:
        """The probabilities that the logits stand for."""
        return logits_to_probs(self.logits, is_binary=self._is_binary_)

    _param: Tensor

    @property
    def param_shape(self) -> Size:
        """The shape of probs and logits."""
        return self._param.shape

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._param.new_empty(*args, **kwargs)


class OfCount(ProbsOrLogits):
    """A distribution of a number of trials, too."""

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
