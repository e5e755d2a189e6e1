# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions.log_normal import LogNormal as LogNormal
from rushlight.distributions.normal import Normal as Normal
from rushlight.distributions.transformed_distribution import TransformedDistribution as TransformedDistribution
from rushlight.distributions.transforms import ExpTransform as ExpTransform
from torch.distributions import constraints as constraints
