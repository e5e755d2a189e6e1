"""The chi-squared distribution."""

from __future__ import annotations

from rushlight import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.gamma import Gamma

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The sum of the squares of df normal numbers: Gamma(df / 2, 1 / 2).

    Args:
        df: the degrees of freedom, > 0.
    """

    arg_constraints = {"df": constraints.positive}
    _more_parameters_ = {"concentration": 0, "rate": 0}

    def __init__(self, df: Tensor | float, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    expand = Gamma._expanded_

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self.concentration * 2
