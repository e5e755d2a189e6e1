# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions._parameters import OfCount as OfCount
from rushlight.distributions.binomial import Binomial as Binomial
from torch.distributions import constraints as constraints
from torch.nn import functional as _of_F

F = _of_F
