"""The beta distribution."""

from __future__ import annotations

from collections.abc import Sequence

import rushlight
from rushlight import Tensor
from rushlight.distributions._location_scale import OnUnitInterval
from rushlight.distributions.dirichlet import Dirichlet
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.distributions.utils import _of_valid_values, broadcast_all

__all__ = ["Beta"]


class Beta(OnUnitInterval, ExponentialFamily):
    """Density x^(a - 1) (1 - x)^(b - 1) / B(a, b) on [0, 1]: the first component of a Dirichlet vector of two.

    Args:
        concentration1: a > 0.
        concentration0: b > 0.
    """

    _more_parameters_ = {"_dirichlet": 0}

    def __init__(
        self, concentration1: Tensor | float, concentration0: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self._dirichlet = Dirichlet(
            rushlight.stack(broadcast_all(concentration1, concentration0), -1), validate_args=validate_args
        )
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    expand = Distribution._expanded_

    @property
    def concentration1(self) -> Tensor:
        """a, the weight at 1."""
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self) -> Tensor:
        """b, the weight at 0."""
        return self._dirichlet.concentration[..., 1]

    @property
    def mean(self) -> Tensor:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Tensor:
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self) -> Tensor:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total**2 * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """(a - 1) log x + (b - 1) log(1 - x) - log B(a, b)."""
        return self._dirichlet.log_prob(rushlight.stack([value, 1.0 - value], -1))

    def entropy(self) -> Tensor:
        return self._dirichlet.entropy()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return self.concentration1, self.concentration0

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        x, y = natural_params
        return x.lgamma() + y.lgamma() - (x + y).lgamma()
