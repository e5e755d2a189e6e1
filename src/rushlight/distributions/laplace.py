"""The Laplace distribution."""

from __future__ import annotations

from collections.abc import Sequence

import rushlight
from rushlight import Tensor
from rushlight.distributions._location_scale import LocationScale
from rushlight.distributions.utils import _empty, _of_valid_values

__all__ = ["Laplace"]


class Laplace(LocationScale):
    """Density exp(-|x - loc| / scale) / (2 scale).

    Args:
        loc: the mean.
        scale: > 0.
    """

    @property
    def variance(self) -> Tensor:
        return 2 * self.scale**2

    @property
    def stddev(self) -> Tensor:
        return 2**0.5 * self.scale

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """loc - scale sign(U) log(1 - |U|), for U in (-1, 1)."""
        limits = rushlight.finfo(self.loc.dtype)
        u = _empty(self._extended_shape(sample_shape), self.loc).uniform_(limits.eps - 1, 1)
        return self.loc - self.scale * u.sign() * (-u.abs()).log1p()

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """-log(2 scale) - |x - loc| / scale."""
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    @_of_valid_values
    def cdf(self, value: Tensor) -> Tensor:
        x = value - self.loc
        return 0.5 - 0.5 * x.sign() * (-x.abs() / self.scale).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        x = value - 0.5
        return self.loc - self.scale * x.sign() * (-2 * x.abs()).log1p()

    def entropy(self) -> Tensor:
        return 1 + (2 * self.scale).log()
