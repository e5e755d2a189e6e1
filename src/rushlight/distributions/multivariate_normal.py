"""The multivariate normal distribution."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence

import rushlight
from rushlight import Size, Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import _of_valid_values, _standard_normal, lazy_property

__all__ = ["MultivariateNormal"]


def _batch_mv(matrix: Tensor, vector: Tensor) -> Tensor:
    """Products of matrices (*, n, m) and vectors (*, m), whose other dimensions broadcast."""
    return (matrix @ vector.unsqueeze(-1)).squeeze(-1)


def _batch_mahalanobis(tril: Tensor, x: Tensor) -> Tensor:
    """x^T (L L^T)^-1 x for lower triangular L (*, n, n) and x (*, n), whose other dimensions broadcast."""
    batch = rushlight.broadcast_shapes(tril.shape[:-2], x.shape[:-1])
    if math.prod(tril.shape[:-2]) == 1:  # one matrix for all: its one triangular solve takes them as columns
        rows = x.reshape(-1, x.shape[-1])
        solved = rushlight.linalg.solve_triangular(tril.reshape(tril.shape[-2:]), rows.mT, upper=False)
        return solved.pow(2).sum(-2).reshape(x.shape[:-1]).expand(batch)
    solved = rushlight.linalg.solve_triangular(tril, x.expand((*batch, x.shape[-1])).unsqueeze(-1), upper=False)
    return solved.squeeze(-1).pow(2).sum(-1)


def _precision_to_scale_tril(precision: Tensor) -> Tensor:
    """L with (L L^T)^-1 = precision: the Cholesky factor of the matrix with rows and columns reversed is upper
    triangular when turned back.
    """
    upper = rushlight.flip(rushlight.linalg.cholesky(rushlight.flip(precision, (-2, -1))), (-2, -1)).mT
    eye = rushlight.eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    return rushlight.linalg.solve_triangular(upper, eye, upper=False)


class _GivenByMatrix(Distribution):
    """A distribution that is given by one of a covariance matrix, its inverse and its Cholesky factor: the others are
    computed when read.
    """

    _unbroadcasted_scale_tril: Tensor
    _names_ = ("covariance_matrix", "precision_matrix", "scale_tril")

    @classmethod
    def _given_(cls, *matrices: Tensor | None) -> tuple[str, Tensor]:
        """The name and value of the one matrix that was given."""
        given = [(name, m) for name, m in zip(cls._names_, matrices, strict=True) if m is not None]
        if len(given) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        if given[0][1].dim() < 2:
            raise ValueError(
                f"{given[0][0]} must be at least two-dimensional, with optional leading batch dimensions; found "
                f"{given[0][1].dim()} dimensions"
            )
        return given[0]

    def _factor_(self, name: str, matrix: Tensor) -> Tensor:
        """The Cholesky factor of the covariance."""
        if name == "scale_tril":
            return matrix
        return rushlight.linalg.cholesky(matrix) if name == "covariance_matrix" else _precision_to_scale_tril(matrix)

    def _whole_(self) -> Size:
        return self._batch_shape + self._unbroadcasted_scale_tril.shape[-2:]

    @lazy_property
    def scale_tril(self) -> Tensor:
        """L, lower triangular, with L L^T the covariance."""
        return self._unbroadcasted_scale_tril.expand(self._whole_())

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """L L^T."""
        return (self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT).expand(self._whole_())

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        return rushlight.cholesky_inverse(self._unbroadcasted_scale_tril).expand(self._whole_())


class MultivariateNormal(_GivenByMatrix):
    """Density exp(-(x - loc)^T C^-1 (x - loc) / 2) / sqrt(det(2 pi C)).

    Args:
        loc: the means, along the last dimension. covariance_matrix, or precision_matrix (its inverse), or scale_tril
            (its Cholesky factor): positive definite matrices, batches of them broadcast.
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True
    loc: Tensor

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        name, matrix = self._given_(covariance_matrix, precision_matrix, scale_tril)
        batch = rushlight.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        self.__dict__[name] = matrix.expand((*batch, -1, -1))
        self.loc = loc.expand((*batch, -1))
        super().__init__(batch, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = self._factor_(name, matrix)

    _shared_ = ("_unbroadcasted_scale_tril",)
    expand = Distribution._expanded_

    mean = mode = property(operator.attrgetter("loc"))

    @property
    def variance(self) -> Tensor:
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        eps = _standard_normal(self._extended_shape(sample_shape), self.loc.dtype, self.loc.device)
        return self.loc + _batch_mv(self._unbroadcasted_scale_tril, eps)

    def _half_log_det_(self) -> Tensor:
        return self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """-(x - loc)^T C^-1 (x - loc) / 2 - log det(2 pi C) / 2."""
        distance = _batch_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - self._half_log_det_()

    def entropy(self) -> Tensor:
        found = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._half_log_det_()
        return found.expand(self._batch_shape)
