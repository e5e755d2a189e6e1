"""Distributions that take probabilities or their logits."""

from __future__ import annotations

from typing import Any

from rushlight import Size, Tensor
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import lazy_property, logits_to_probs, probs_to_logits

__all__ = ["ProbsOrLogits"]


class ProbsOrLogits(Distribution):
    """A distribution that is made of `probs` or of `logits`: the other of them is computed when it is first read."""

    _is_binary_ = True  # log odds of one probability each, or logarithms of a vector of them
    _more_parameters_ = {"_param": 0}

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
