"""Exponential families: densities h(x) exp(<eta, t(x)> - A(eta)), of which A, the log normalizer, tells the moments."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.distributions.distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """A distribution whose density is h(x) exp(<eta, t(x)> - A(eta)).

    Subclasses give the natural parameters eta (_natural_params), A (_log_normalizer) and the mean of log h
    (_mean_carrier_measure). The mean of t is the gradient of A: F. Nielsen & R. Nock, "Entropies and cross-entropies of
    exponential families", ICIP 2010.
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        """eta."""
        raise NotImplementedError(f"{type(self).__name__}: the natural parameters are not defined")

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        """A(eta)."""
        raise NotImplementedError(f"{type(self).__name__}: the log normalizer is not defined")

    @property
    def _mean_carrier_measure(self) -> Any:
        """The mean of log h(x)."""
        raise NotImplementedError(f"{type(self).__name__}: the mean carrier measure is not defined")

    def entropy(self) -> Tensor:
        """A(eta) - <eta, grad A(eta)> - E[log h]: the product with the gradient is one derivative of A, in the
        direction of eta.
        """
        carrier = self._mean_carrier_measure
        eta = tuple(self._natural_params)
        value, along = rushlight.func.jvp(self._log_normalizer, eta, eta)
        return value - along - carrier  # type: ignore[no-any-return]
