# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions._parameters import ProbsOrLogits as ProbsOrLogits
from rushlight.distributions.binomial import Binomial as Binomial
from rushlight.distributions.utils import broadcast_all as broadcast_all
from torch.distributions import constraints as constraints
from torch.nn import functional as _of_F

F = _of_F
