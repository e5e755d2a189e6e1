# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions.independent import Independent as Independent
from rushlight.distributions.logistic_normal import LogisticNormal as LogisticNormal
from rushlight.distributions.normal import Normal as Normal
from rushlight.distributions.transformed_distribution import TransformedDistribution as TransformedDistribution
from rushlight.distributions.transforms import StickBreakingTransform as StickBreakingTransform
from torch.distributions import constraints as constraints
