# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions._parameters import OfCount as OfCount
from rushlight.distributions.gamma import Gamma as Gamma
from rushlight.distributions.negative_binomial import NegativeBinomial as NegativeBinomial
from rushlight.distributions.utils import lazy_property as lazy_property
from torch.distributions import constraints as constraints
from torch.nn import functional as _of_F

F = _of_F
