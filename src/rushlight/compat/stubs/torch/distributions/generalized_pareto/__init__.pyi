# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.generalized_pareto import GeneralizedPareto as GeneralizedPareto
from rushlight.distributions.utils import where_valid as where_valid
from torch.distributions import constraints as constraints
