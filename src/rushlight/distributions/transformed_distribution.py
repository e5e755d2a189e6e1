"""A distribution seen through transforms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rushlight
from rushlight import Size, Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.independent import Independent
from rushlight.distributions.transforms import ComposeTransform, Transform
from rushlight.distributions.utils import _of_valid_values, _sum_rightmost

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """The distribution of t(x) for x of a base distribution: its density is that of x divided by |det dt/dx|.

    Args:
        base_distribution: of x.
        transforms: one, or a list of which the first is applied first.

    Raises:
        ValueError: for what is no transform, or a base with too few dimensions.
    """

    arg_constraints: Any = {}
    transforms: list[Transform]
    base_dist: Distribution

    def __init__(self, base_distribution: Distribution, transforms: Any, validate_args: bool | None = None) -> None:
        listed = [transforms] if isinstance(transforms, Transform) else transforms
        if not isinstance(listed, list) or not all(isinstance(t, Transform) for t in listed):
            raise ValueError(
                f"{type(self).__name__}: 'transforms' must be a Transform or a list of Transforms; found {transforms!r}"
            )
        self.transforms = listed
        base_shape = base_distribution.batch_shape + base_distribution.event_shape
        base_event_dim = len(base_distribution.event_shape)
        transform = ComposeTransform(listed)
        needed = transform.domain.event_dim
        if len(base_shape) < needed:
            raise ValueError(
                f"{type(self).__name__}: the base distribution must have {needed} dimensions or more; found the "
                f"shape {tuple(base_shape)}"
            )
        shape = transform.forward_shape(base_shape)
        full_base_shape = transform.inverse_shape(shape)
        if tuple(base_shape) != tuple(full_base_shape):  # parameters of the transforms broadcast the base
            base_distribution = base_distribution.expand(full_base_shape[: len(full_base_shape) - base_event_dim])
        if needed > base_event_dim:
            base_distribution = Independent(base_distribution, needed - base_event_dim)
        self.base_dist = base_distribution
        # what a transform makes of one event, and the base's events that no transform needs as one
        event_dim = transform.codomain.event_dim + max(base_event_dim - needed, 0)
        cut = len(shape) - event_dim
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Distribution | None = None) -> Any:
        return self._over_(self.base_dist, batch_shape, self._get_checked_instance(TransformedDistribution, _instance))

    def _over_(self, base: Any, batch_shape: Sequence[int], new: Any) -> Any:
        """`new`, with this distribution's transforms over `base` with another batch shape."""
        batch_shape = Size(batch_shape)
        whole = batch_shape + self.event_shape
        for t in reversed(self.transforms):
            whole = Size(t.inverse_shape(whole))
        new.base_dist = base.expand(whole[: len(whole) - len(base.event_shape)])
        new.transforms = self.transforms
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _expanded_(self, batch_shape: Sequence[int], _instance: Distribution | None = None) -> Any:
        """`expand` of subclasses, which also expands their parameters other than the base."""
        new = super()._expanded_(batch_shape, _instance)
        return self._over_(self.base_dist, batch_shape, new)

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        """The last transform's codomain, as blocks of the event's size."""
        if not self.transforms:
            return self.base_dist.support
        last = self.transforms[-1].codomain
        more = len(self.event_shape) - last.event_dim
        return constraints.independent(last, more) if more > 0 else last

    @property
    def has_rsample(self) -> bool:
        """That of the base distribution."""
        return bool(self.base_dist.has_rsample)

    def _through_(self, x: Tensor) -> Tensor:
        for t in self.transforms:
            x = t(x)
        return x

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with rushlight.no_grad():
            return self._through_(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self._through_(self.base_dist.rsample(sample_shape))

    @_of_valid_values
    def log_prob(self, value: Tensor) -> Tensor:
        """The base's log_prob of x, - log |det dt/dx|."""
        event_dim = len(self.event_shape)
        log_prob: Any = 0.0
        y = value
        for t in reversed(self.transforms):
            x = t.inv(y)
            event_dim += t.domain.event_dim - t.codomain.event_dim
            log_prob = log_prob - _sum_rightmost(t.log_abs_det_jacobian(x, y), event_dim - t.domain.event_dim)
            y = x
        base = _sum_rightmost(self.base_dist.log_prob(y), event_dim - len(self.base_dist.event_shape))
        return log_prob + base  # type: ignore[no-any-return]

    def _rising_(self, probability: Tensor) -> Tensor:
        """p, and 1 - p where the transforms decrease: what swaps the probabilities below and above."""
        sign: Any = 1
        for t in self.transforms:
            sign = sign * t.sign
        if isinstance(sign, int) and sign == 1:
            return probability
        return sign * (probability - 0.5) + 0.5  # type: ignore[no-any-return]

    def cdf(self, value: Tensor) -> Tensor:
        """The base's at x, for transforms of numbers that rise or fall throughout."""
        for t in reversed(self.transforms):
            value = t.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._rising_(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        """The base's, transformed, for transforms of numbers that rise or fall throughout."""
        return self._through_(self.base_dist.icdf(self._rising_(value)))
