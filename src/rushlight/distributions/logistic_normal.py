"""The logistic-normal distribution."""

from __future__ import annotations

from typing import Any

from rushlight.core.naming import reads
from rushlight.core.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.independent import Independent
from rushlight.distributions.normal import Normal
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.transforms import StickBreakingTransform

__all__ = ["LogisticNormal"]


class LogisticNormal(TransformedDistribution):
    """Probabilities of K + 1 categories whose log odds along a stick (StickBreakingTransform) are K normal numbers.

    Args:
        loc, scale: means and standard deviations along the last dimension.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        super().__init__(
            base if base.batch_shape else base.expand([1]), StickBreakingTransform(), validate_args=validate_args
        )

    expand = TransformedDistribution._expanded_
    loc = reads("_normal_.loc", Tensor, "The means of the normal numbers.")
    scale = reads("_normal_.scale", Tensor, "The standard deviations of the normal numbers.")

    @property
    def _normal_(self) -> Any:
        return self.base_dist.base_dist if isinstance(self.base_dist, Independent) else self.base_dist
