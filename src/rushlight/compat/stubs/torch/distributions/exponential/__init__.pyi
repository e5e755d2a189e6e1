# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions._rate import OfRate as OfRate
from rushlight.distributions.exponential import Exponential as Exponential
from torch.distributions import constraints as constraints
