"""The distribution of correlation matrices of Lewandowski, Kurowicka and Joe, by its Cholesky factors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import rushlight
from rushlight import Size, Tensor
from rushlight.distributions import constraints
from rushlight.distributions.beta import Beta
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import _of_valid_values, _standard_normal, broadcast_all

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """Cholesky factors of correlation matrices of density proportional to det^(concentration - 1); uniform for 1.

    D. Lewandowski, D. Kurowicka & H. Joe, "Generating random correlation matrices based on vines and extended onion
    method", J. Multivariate Anal. 100 (2009) 1989.

    Args:
        dim: the size of the matrices, at least 2.
        concentration: > 0; the larger, the nearer they are to the identity.
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky
    concentration: Tensor

    def __init__(self, dim: int, concentration: Tensor | float = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"LKJCholesky: 'dim' must be an int of at least 2; found dim={dim}")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        # the squared norm of what stands left of the diagonal in row k is Beta(k / 2, concentration + (dim - 1 - k) /
        # 2)
        left = rushlight.arange(dim, dtype=self.concentration.dtype, device=self.concentration.device).clamp(min=1)
        self._beta = Beta(
            left * 0.5, self.concentration.unsqueeze(-1) + 0.5 * (dim - 1) - 0.5 * left, validate_args=validate_args
        )
        super().__init__(self.concentration.shape, Size((dim, dim)), validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Distribution | None = None) -> Any:
        new = self._get_checked_instance(LKJCholesky, _instance)
        new.dim = self.dim
        new._beta = self._beta.expand((*batch_shape, self.dim))
        return self._expanded_(batch_shape, new)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """The extended onion method (section 3.2): each row a random direction, its norm the root of a beta number."""
        with rushlight.no_grad():
            y = self._beta.sample(sample_shape).unsqueeze(-1)
            normal = _standard_normal(
                self._extended_shape(sample_shape), self.concentration.dtype, self.concentration.device
            ).tril(-1)
            norms = normal.norm(dim=-1, keepdim=True)
            first = rushlight.arange(self.dim, device=normal.device).unsqueeze(-1) == 0
            w = rushlight.where(first, 0.0, y.sqrt() * normal / norms)
            tiny = rushlight.finfo(w.dtype).tiny
            return w + (1 - (w**2).sum(-1)).clamp(min=tiny).sqrt().diag_embed()

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """The sum over rows k of (dim - k + 2 concentration - 2) log L_kk, less the logarithm of the integral (page
        1999 of the paper).
        """
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = rushlight.arange(2, self.dim + 1, device=self.concentration.device)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        n = self.dim - 1
        a = self.concentration + 0.5 * n
        log_integral = 0.5 * n * math.log(math.pi) + (a - 0.5).mvlgamma(n) - a.lgamma() * n
        return (order * diagonal.log()).sum(-1) - log_integral
