# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions._rate import OfRate as OfRate
from rushlight.distributions.poisson import Poisson as Poisson
from rushlight.distributions.utils import broadcast_all as broadcast_all
from torch.distributions import constraints as constraints
