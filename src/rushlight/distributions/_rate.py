"""The common part of distributions whose only parameter is a rate."""

from __future__ import annotations

from rushlight import Tensor
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.exp_family import ExponentialFamily


class OfRate(ExponentialFamily):
    """A distribution of a rate alone."""

    rate: Tensor

    def __init__(self, rate: Tensor | float, validate_args: bool | None = None) -> None:
        self._hold_(validate_args, rate=rate)

    expand = Distribution._expanded_
