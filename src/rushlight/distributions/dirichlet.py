"""The Dirichlet distribution."""

from __future__ import annotations

from collections.abc import Sequence

import rushlight
from rushlight import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.distributions.utils import _of_valid_values, one_hot

__all__ = ["Dirichlet"]


class Dirichlet(ExponentialFamily):
    """Density (product of x_i^(a_i - 1)) / B(a) on the simplex. Samples are differentiable by a implicitly
    (operators/random/implicit.py).

    Args:
        concentration: a > 0, along the last dimension.
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True
    concentration: Tensor

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self._hold_(validate_args, 1, concentration=concentration)

    expand = Distribution._expanded_

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        concentration = self.concentration.expand(self._extended_shape(sample_shape))
        return rushlight._sample_dirichlet(concentration)  # type: ignore[attr-defined, no-any-return]

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """The sum of (a_i - 1) log x_i, - log B(a)."""
        a = self.concentration
        return rushlight.xlogy(a - 1.0, value).sum(-1) + a.sum(-1).lgamma() - a.lgamma().sum(-1)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Tensor:
        """(a_i - 1) / (sum of a - K), those below 0 left out; where all are below 1, every corner is a mode, and the
        first is given.
        """
        above = (self.concentration - 1).clamp(min=0.0)
        corner = one_hot(above.argmax(-1), above.shape[-1], above)
        return rushlight.where((self.concentration < 1).all(-1, True), corner, above / above.sum(-1, True))

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total**2 * (total + 1))

    def entropy(self) -> Tensor:
        a = self.concentration
        k, total = a.size(-1), a.sum(-1)
        return a.lgamma().sum(-1) - total.lgamma() - (k - total) * total.digamma() - ((a - 1.0) * a.digamma()).sum(-1)

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.concentration,)

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        (x,) = natural_params
        return x.lgamma().sum(-1) - x.sum(-1).lgamma()
