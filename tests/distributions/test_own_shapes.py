"""A subclass may say the shapes of its samples otherwise (gpytorch's MultitaskMultivariateNormal): moments keep the
class's own.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import rushlight
from rushlight.distributions import LowRankMultivariateNormal, MultivariateNormal


@pytest.mark.parametrize("base", [MultivariateNormal, LowRankMultivariateNormal])
def test_moments(base: type) -> None:
    class Other(base):  # type: ignore[misc]
        def _extended_shape(self, sample_shape: Sequence[int] = ()) -> rushlight.Size:
            return rushlight.Size((*sample_shape, 3, 2))

    more = (rushlight.eye(6),) if base is MultivariateNormal else (rushlight.ones(6, 1), rushlight.ones(6))
    d = Other(rushlight.zeros(6), *more)
    assert d.variance.shape == d.mean.shape == (6,)
    assert d.covariance_matrix.shape == (6, 6)
