"""Fisher and Snedecor"s F distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence

import rushlight
from rushlight import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.gamma import Gamma
from rushlight.distributions.utils import _of_valid_values, where_valid

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Distribution):
    """The ratio of two chi-squared numbers, each divided by its degrees of freedom.

    Args:
        df1, df2: the degrees of freedom above and below, > 0.
    """

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True
    _more_parameters_ = {"_gamma1": 0, "_gamma2": 0}
    df1: Tensor
    df2: Tensor

    def __init__(self, df1: Tensor | float, df2: Tensor | float, validate_args: bool | None = None) -> None:
        self._hold_(validate_args, df1=df1, df2=df2)
        self._gamma1, self._gamma2 = Gamma(self.df1 * 0.5, self.df1), Gamma(self.df2 * 0.5, self.df2)

    expand = Distribution._expanded_

    @property
    def mean(self) -> Tensor:
        """df2 / (df2 - 2); NaN for df2 <= 2."""
        return where_valid(self.df2 > 2, self.df2, 3.0, lambda b: b / (b - 2), math.nan)

    @property
    def mode(self) -> Tensor:
        """(df1 - 2) / df1 df2 / (df2 + 2); NaN for df1 <= 2."""
        return where_valid(self.df1 > 2, self.df1, 3.0, lambda a: (a - 2) / a * self.df2 / (self.df2 + 2), math.nan)

    @property
    def variance(self) -> Tensor:
        """2 df2^2 (df1 + df2 - 2) / (df1 (df2 - 2)^2 (df2 - 4)); NaN for df2 <= 4."""
        a = self.df1
        return where_valid(
            self.df2 > 4, self.df2, 5.0, lambda b: 2 * b**2 * (a + b - 2) / (a * (b - 2) ** 2 * (b - 4)), math.nan
        )

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        above, below = self._gamma1.rsample(sample_shape), self._gamma2.rsample(sample_shape)
        tiny = rushlight.finfo(below.dtype).tiny
        return (above / below.clamp(min=tiny)).clamp(min=tiny)

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """(a/2) log(a/b) + (a/2 - 1) log x - (a + b)/2 log(1 + a x / b) - log B(a/2, b/2)."""
        a, b = self.df1 * 0.5, self.df2 * 0.5
        ratio = self.df1 / self.df2
        return (
            (a + b).lgamma()
            - a.lgamma()
            - b.lgamma()
            + a * ratio.log()
            + (a - 1) * value.log()
            - (a + b) * (ratio * value).log1p()
        )
