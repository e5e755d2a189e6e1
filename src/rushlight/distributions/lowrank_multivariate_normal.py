"""The multivariate normal distribution whose covariance has a factor of low rank."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence

import rushlight
from rushlight import Size, Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.multivariate_normal import _batch_mahalanobis, _batch_mv
from rushlight.distributions.utils import _of_valid_values, _standard_normal, lazy_property

__all__ = ["LowRankMultivariateNormal"]


def _batch_capacitance_tril(factor: Tensor, diag: Tensor) -> Tensor:
    """The Cholesky factor of I + W^T D^-1 W."""
    eye = rushlight.eye(factor.shape[-1], dtype=factor.dtype, device=factor.device)
    return rushlight.linalg.cholesky(eye + (factor / diag.unsqueeze(-1)).mT @ factor)


def _batch_lowrank_logdet(diag: Tensor, capacitance_tril: Tensor) -> Tensor:
    """log det(W W^T + D) = log det(I + W^T D^-1 W) + log det D (Sylvester's determinant theorem)."""
    return 2 * capacitance_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1) + diag.log().sum(-1)


def _batch_lowrank_mahalanobis(factor: Tensor, diag: Tensor, x: Tensor, capacitance_tril: Tensor) -> Tensor:
    """x^T (W W^T + D)^-1 x, by Woodbury's formula for the inverse."""
    projected = _batch_mv((factor / diag.unsqueeze(-1)).mT, x)
    return (x.pow(2) / diag).sum(-1) - _batch_mahalanobis(capacitance_tril, projected)


class LowRankMultivariateNormal(Distribution):
    """The multivariate normal distribution of covariance W W^T + D, with W of few columns and D diagonal: no n x n
    matrix is factorized.

    Args:
        loc: the means (*, n).
        cov_factor: W (*, n, m).
        cov_diag: the diagonal of D (*, n), > 0.
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True
    loc: Tensor
    cov_factor: Tensor
    cov_diag: Tensor
    _shared_ = ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril")

    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event = loc.shape[-1:]
        if cov_factor.dim() < 2 or cov_factor.shape[-2:-1] != event:
            raise ValueError(
                f"cov_factor must be a batch of matrices of shape {event[0]} x m; found the shape "
                f"{tuple(cov_factor.shape)}"
            )
        if cov_diag.shape[-1:] != event:
            raise ValueError(
                f"cov_diag must be a batch of vectors of size {event[0]}; found the shape {tuple(cov_diag.shape)}"
            )
        batch = rushlight.broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        self.loc, self.cov_diag = loc.expand((*batch, -1)), cov_diag.expand((*batch, -1))
        self.cov_factor = cov_factor.expand((*batch, -1, -1))
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        super().__init__(batch, event, validate_args=validate_args)
        self._capacitance_tril = _batch_capacitance_tril(cov_factor, cov_diag)

    expand = Distribution._expanded_

    mean = mode = property(operator.attrgetter("loc"))

    @lazy_property
    def variance(self) -> Tensor:
        """The diagonal of the covariance."""
        return (self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag).expand(
            self._batch_shape + self._event_shape
        )

    def _whole_(self) -> Size:
        return self._batch_shape + self._event_shape + self._event_shape

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance, D^1/2 chol(I + D^-1/2 W W^T D^-1/2), which is more accurate than that
        of the sum.
        """
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        eye = rushlight.eye(scaled.shape[-2], dtype=scaled.dtype, device=scaled.device)
        return (root * rushlight.linalg.cholesky(scaled @ scaled.mT + eye)).expand(self._whole_())

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """W W^T + D."""
        w = self._unbroadcasted_cov_factor
        return (w @ w.mT + self._unbroadcasted_cov_diag.diag_embed()).expand(self._whole_())

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """D^-1 - D^-1 W (I + W^T D^-1 W)^-1 W^T D^-1 (Woodbury)."""
        d = self._unbroadcasted_cov_diag
        half = rushlight.linalg.solve_triangular(
            self._capacitance_tril, (self._unbroadcasted_cov_factor / d.unsqueeze(-1)).mT, upper=False
        )
        return (d.reciprocal().diag_embed() - half.mT @ half).expand(self._whole_())

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """loc + W eps + D^1/2 eps', for normal eps of m and eps' of n elements."""
        shape = self._extended_shape(sample_shape)
        place = self.loc.dtype, self.loc.device
        few, many = _standard_normal((*shape[:-1], self.cov_factor.shape[-1]), *place), _standard_normal(shape, *place)
        return self.loc + _batch_mv(self._unbroadcasted_cov_factor, few) + self._unbroadcasted_cov_diag.sqrt() * many

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """That of MultivariateNormal."""
        w, d, tril = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag, self._capacitance_tril
        distance = _batch_lowrank_mahalanobis(w, d, value - self.loc, tril)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + _batch_lowrank_logdet(d, tril) + distance)

    def entropy(self) -> Tensor:
        log_det = _batch_lowrank_logdet(self._unbroadcasted_cov_diag, self._capacitance_tril)
        return (0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + log_det)).expand(self._batch_shape)
