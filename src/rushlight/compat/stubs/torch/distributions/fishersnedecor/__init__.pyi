# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.fishersnedecor import FisherSnedecor as FisherSnedecor
from rushlight.distributions.gamma import Gamma as Gamma
from rushlight.distributions.utils import where_valid as where_valid
from torch.distributions import constraints as constraints
