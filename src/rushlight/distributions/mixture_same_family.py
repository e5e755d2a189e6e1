"""Mixtures of distributions of one family."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rushlight
from rushlight import Size, Tensor
from rushlight.core.checks import check_type
from rushlight.core.naming import reads
from rushlight.distributions import constraints
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.distribution import Distribution

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """One of K components, chosen by a categorical distribution: the components are the last dimension of a batch.

    Args:
        mixture_distribution: a Categorical over K.
        component_distribution: of batch shape (*, K).
    """

    arg_constraints: Any = {}
    has_rsample = False

    def __init__(
        self, mixture_distribution: Categorical, component_distribution: Distribution, validate_args: bool | None = None
    ) -> None:
        check_type("MixtureSameFamily", "mixture_distribution", mixture_distribution, Categorical, error=ValueError)
        check_type(
            "MixtureSameFamily", "component_distribution", component_distribution, Distribution, error=ValueError
        )
        weights, components = mixture_distribution, component_distribution
        for a, b in zip(reversed(weights.batch_shape), reversed(components.batch_shape[:-1]), strict=False):
            if a != 1 and b != 1 and a != b:
                raise ValueError(
                    f"MixtureSameFamily: the batch shape of the mixture, {tuple(weights.batch_shape)}, must go with "
                    "that of the components, "
                    f"{tuple(components.batch_shape[:-1])}"
                )
        self._num_component = components.batch_shape[-1]
        if weights.logits.shape[-1] != self._num_component:
            raise ValueError(
                "MixtureSameFamily: the mixture must have as many categories as there are components; found "
                f"{weights.logits.shape[-1]} and {self._num_component}"
            )
        self._mixture_distribution, self._component_distribution = weights, components
        self._event_ndims = len(components.event_shape)
        super().__init__(components.batch_shape[:-1], components.event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Distribution | None = None) -> Any:
        new = self._get_checked_instance(MixtureSameFamily, _instance)
        batch_shape = Size(batch_shape)
        new._component_distribution = self._component_distribution.expand((*batch_shape, self._num_component))
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        new._num_component, new._event_ndims = self._num_component, self._event_ndims
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @constraints.dependent_property
    def support(self) -> constraints.Constraint:
        """What every component allows."""
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    mixture_distribution = reads("_mixture_distribution", Categorical, "The distribution of the components' numbers.")
    component_distribution = reads("_component_distribution", Distribution, "The components.")

    def _weighted_(self, values: Tensor) -> Tensor:
        """The mean of the components' values."""
        return (self._pad_mixture_dimensions(self.mixture_distribution.probs) * values).sum(-1 - self._event_ndims)

    @property
    def mean(self) -> Tensor:
        return self._weighted_(self.component_distribution.mean)

    @property
    def variance(self) -> Tensor:
        """The mean of the variances + the variance of the means."""
        mean = self.component_distribution.mean
        return self._weighted_(self.component_distribution.variance) + self._weighted_(
            (mean - self._pad(self.mean)).pow(2)
        )

    def cdf(self, x: Tensor) -> Tensor:
        return (self.component_distribution.cdf(self._pad(x)) * self.mixture_distribution.probs).sum(-1)

    def log_prob(self, x: Tensor) -> Tensor:
        """log of the sum of weight times density."""
        if self._validate_args:
            self._validate_sample(x)
        log_weights = self.mixture_distribution.logits.log_softmax(-1)
        return (self.component_distribution.log_prob(self._pad(x)) + log_weights).logsumexp(-1)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with rushlight.no_grad():
            chosen = self.mixture_distribution.sample(sample_shape)
            all_samples = self.component_distribution.sample(sample_shape)
            at = len(chosen.shape)
            chosen = chosen.reshape((*chosen.shape, *(1,) * (self._event_ndims + 1)))
            chosen = chosen.expand((*all_samples.shape[:at], 1, *self._event_shape))
            return all_samples.gather(at, chosen).squeeze(at)

    def _pad(self, x: Tensor) -> Tensor:
        """x with a dimension for the components."""
        return x.unsqueeze(-1 - self._event_ndims)

    def _pad_mixture_dimensions(self, x: Tensor) -> Tensor:
        """Weights with the dimensions that the components' batch and events have more."""
        more = len(self._batch_shape) - len(self.mixture_distribution.batch_shape)
        shape = x.shape
        return x.reshape((*shape[:-1], *(1,) * (more if not shape[:-1] else 0), shape[-1], *(1,) * self._event_ndims))

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
