"""The Wishart distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.core.warning import warn
from rushlight.distributions import constraints
from rushlight.distributions.chi2 import Chi2
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.distributions.multivariate_normal import _GivenByMatrix
from rushlight.distributions.utils import _of_valid_values, _standard_normal

__all__ = ["Wishart"]


def _mvdigamma(x: Tensor, p: int) -> Tensor:
    """The derivative of log of the multivariate gamma function: the sum of digamma(x - i/2), i = 0, ..., p - 1."""
    return (x.unsqueeze(-1) - 0.5 * rushlight.arange(p, dtype=x.dtype, device=x.device)).digamma().sum(-1)


class Wishart(_GivenByMatrix, ExponentialFamily):
    """X^T X for df rows of normal vectors of covariance V: density proportional to det(S)^((df - n - 1)/2) exp(-tr(V^-1
    S)/2).

    Samples are L A A^T L^T with V = L L^T and A lower triangular: roots of chi-squared numbers on the diagonal, normal
    numbers below (Bartlett).

    Args:
        df: the degrees of freedom, > n - 1. covariance_matrix, or precision_matrix, or scale_tril: V, its inverse or
            its Cholesky factor.
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0
    df: Tensor

    def __init__(
        self,
        df: Tensor | float,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        name, matrix = self._given_(covariance_matrix, precision_matrix, scale_tril)
        n = matrix.shape[-1]
        df = df if isinstance(df, Tensor) else rushlight.tensor(df, dtype=matrix.dtype, device=matrix.device)
        batch = rushlight.broadcast_shapes(matrix.shape[:-2], df.shape)
        if bool((df <= n - 1).any()):
            raise ValueError(f"Wishart: 'df' must be greater than {n - 1}, the size of the matrix - 1; found {df}")
        self.df = df.expand(batch)
        self.__dict__[name] = matrix.expand((*batch, -1, -1))
        super().__init__(batch, matrix.shape[-2:], validate_args=validate_args)
        self._batch_dims = [-(k + 1) for k in range(len(batch))]
        self._unbroadcasted_scale_tril = self._factor_(name, matrix)
        if bool((self.df <= n).any()):
            warn("Low df values detected: matrices that Wishart draws with them are likely to be singular")
        # chi-squared numbers of df, df - 1, ..., df - n + 1 degrees of freedom
        self._dist_chi2 = Chi2(
            self.df.unsqueeze(-1) - rushlight.arange(n, dtype=matrix.dtype, device=matrix.device).expand((*batch, -1))
        )

    @property
    def arg_constraints(self) -> dict[str, Any]:
        """That of df depends on the size of the matrix."""
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self._event_shape[-1] - 1),
        }

    def expand(self, batch_shape: Sequence[int], _instance: Distribution | None = None) -> Any:
        new = self._get_checked_instance(Wishart, _instance)
        new._event_shape = self._event_shape
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        new._batch_dims = [-(k + 1) for k in range(len(batch_shape))]
        new = self._expanded_(batch_shape, new)
        new._dist_chi2 = self._dist_chi2.expand((*batch_shape, self._event_shape[-1]))
        return new

    @property
    def mean(self) -> Tensor:
        return self.df[..., None, None] * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        """(df - n - 1) V; NaN where that factor is not positive."""
        factor = self.df - self._event_shape[-1] - 1
        return rushlight.where(factor > 0, factor, math.nan)[..., None, None] * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        """df (V_ij^2 + V_ii V_jj)."""
        v = self.covariance_matrix
        diagonal = v.diagonal(dim1=-2, dim2=-1)
        return self.df[..., None, None] * (v.pow(2) + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2))

    def rsample(self, sample_shape: Sequence[int] = (), max_try_correction: int | None = None) -> Tensor:
        # PyTorch throws the first matrices away, and so takes the numbers that follow.
        with rushlight.no_grad():
            self._bartlett_(sample_shape)
        chol = self._unbroadcasted_scale_tril @ self._bartlett_(sample_shape)
        return chol @ chol.mT

    def _bartlett_(self, sample_shape: Sequence[int]) -> Tensor:
        """Bartlett's factor: roots of chi-squared numbers on the diagonal, normal numbers below."""
        diagonal = self._dist_chi2.rsample(sample_shape).sqrt().diag_embed()
        n = self._event_shape[-1]
        rows, columns = rushlight.tril_indices(n, n, -1, device=self.df.device)
        normal = _standard_normal((*diagonal.shape[:-2], len(rows)), self.df.dtype, self.df.device)
        return diagonal.flatten(-2).index_add(-1, rows * n + columns, normal).unflatten(-1, (n, n))

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """((df - n - 1) log det S - tr(V^-1 S) - df log det(2 V... )) / 2, less the logarithm of the multivariate gamma
        function of df / 2.
        """
        n, nu, tril = self._event_shape[-1], self.df, self._unbroadcasted_scale_tril
        inner = rushlight.cholesky_solve(value, tril).diagonal(dim1=-2, dim2=-1).sum(-1)
        log_det = rushlight.linalg.slogdet(value).logabsdet
        norm = nu * (n * math.log(2.0) / 2 + tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)) + (nu / 2).mvlgamma(n)
        return (nu - n - 1) / 2 * log_det - inner / 2 - norm

    def entropy(self) -> Tensor:
        n, nu = self._event_shape[-1], self.df
        half_log_det = self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return (
            (n + 1) * (n * math.log(2.0) / 2 + half_log_det)
            + (nu / 2).mvlgamma(n)
            - (nu - n - 1) / 2 * _mvdigamma(nu / 2, n)
            + nu * n / 2
        )

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return -0.5 * self.precision_matrix, 0.5 * (self.df - self._event_shape[-1] - 1)

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        x, y = natural_params
        n = self._event_shape[-1]
        half_df = y + 0.5 * (n + 1)
        return half_df * (n * math.log(2.0) - rushlight.linalg.slogdet(-2 * x).logabsdet) + half_df.mvlgamma(n)
