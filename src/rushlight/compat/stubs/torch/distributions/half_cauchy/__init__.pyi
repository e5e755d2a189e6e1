# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions.cauchy import Cauchy as Cauchy
from rushlight.distributions.half_cauchy import HalfCauchy as HalfCauchy
from rushlight.distributions.transformed_distribution import TransformedDistribution as TransformedDistribution
from rushlight.distributions.transforms import AbsTransform as AbsTransform
from torch.distributions import constraints as constraints
