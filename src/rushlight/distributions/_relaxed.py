"""What the relaxed distributions share: a temperature, and the maps from logarithms to relaxed numbers."""

from __future__ import annotations

from typing import Any

from rushlight import Tensor
from rushlight.core.naming import reads
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.transforms import Transform

__all__ = ["Mapped", "Relaxed"]


class Relaxed(Distribution):
    """A distribution of differentiable numbers that stand for whole ones: the nearer, the lower the temperature."""

    def __init__(
        self,
        temperature: Tensor,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._relax_(temperature, probs, logits, validate_args)

    def _relax_(self, temperature: Tensor, probs: Any, logits: Any, validate_args: bool | None) -> None:
        """Make the distribution of the constructor's arguments."""
        raise NotImplementedError


class Mapped(Relaxed, TransformedDistribution):
    """A relaxed distribution that is a map of another one, of logarithms."""

    has_rsample = True
    _logarithms_: type[Relaxed]
    _map_: type[Transform]

    def _relax_(self, temperature: Tensor, probs: Any, logits: Any, validate_args: bool | None) -> None:
        base = self._logarithms_(temperature, probs, logits)
        TransformedDistribution.__init__(self, base, self._map_(), validate_args)

    temperature = reads("base_dist.temperature", Tensor, "The temperature.")
    logits = reads("base_dist.logits", Tensor, "The logits.")
    probs = reads("base_dist.probs", Tensor, "The probabilities.")
