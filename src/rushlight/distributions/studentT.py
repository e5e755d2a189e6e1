"""Student"s t distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence

import rushlight
from rushlight import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.chi2 import Chi2
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import _of_valid_values, _standard_normal, where_valid

__all__ = ["StudentT"]


class StudentT(Distribution):
    """loc + scale times the ratio of a normal number and the root of a chi-squared one divided by df.

    Args:
        df: the degrees of freedom, > 0.
        loc: the median.
        scale: > 0.
    """

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _more_parameters_ = {"_chi2": 0}
    df: Tensor
    loc: Tensor
    scale: Tensor

    def __init__(
        self,
        df: Tensor | float,
        loc: Tensor | float = 0.0,
        scale: Tensor | float = 1.0,
        validate_args: bool | None = None,
    ) -> None:
        self._hold_(validate_args, df=df, loc=loc, scale=scale)
        self._chi2 = Chi2(self.df)

    expand = Distribution._expanded_

    @property
    def mean(self) -> Tensor:
        """loc; NaN for df <= 1."""
        return rushlight.where(self.df > 1, self.loc, math.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        """scale^2 df / (df - 2); infinite for df <= 2, NaN for df <= 1."""
        found = where_valid(self.df > 2, self.df, 3.0, lambda df: self.scale**2 * df / (df - 2), math.inf)
        return rushlight.where(self.df > 1, found, math.nan)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        z = _standard_normal(self._extended_shape(sample_shape), self.df.dtype, self.df.device)
        return self.loc + self.scale * z * (self._chi2.rsample(sample_shape) / self.df).rsqrt()

    def _log_norm_(self) -> Tensor:
        """log of sqrt(df) B(1/2, df/2)."""
        return (
            0.5 * self.df.log() + 0.5 * math.log(math.pi) + (0.5 * self.df).lgamma() - (0.5 * (self.df + 1.0)).lgamma()
        )

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """-(df + 1)/2 log(1 + y^2 / df) - log(sqrt(df) B(1/2, df/2)) - log scale, for y = (x - loc) / scale."""
        y = (value - self.loc) / self.scale
        return -0.5 * (self.df + 1.0) * (y**2.0 / self.df).log1p() - self.scale.log() - self._log_norm_()

    def entropy(self) -> Tensor:
        half, more = 0.5 * self.df, 0.5 * (self.df + 1)
        return self.scale.log() + more * (more.digamma() - half.digamma()) + self._log_norm_()
