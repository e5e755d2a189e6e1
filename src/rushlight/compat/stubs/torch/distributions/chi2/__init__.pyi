# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions.chi2 import Chi2 as Chi2
from rushlight.distributions.gamma import Gamma as Gamma
from torch.distributions import constraints as constraints
