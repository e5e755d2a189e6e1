# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.laplace import Laplace as Laplace
from torch.distributions import constraints as constraints
