# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.exp_family import ExponentialFamily as ExponentialFamily
from rushlight.distributions.exponential import Exponential as Exponential
from torch.distributions import constraints as constraints
