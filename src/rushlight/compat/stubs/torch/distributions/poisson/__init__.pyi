# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.exp_family import ExponentialFamily as ExponentialFamily
from rushlight.distributions.poisson import Poisson as Poisson
from rushlight.distributions.utils import broadcast_all as broadcast_all
from torch.distributions import constraints as constraints
