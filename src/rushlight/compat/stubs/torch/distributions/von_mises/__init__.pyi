# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.utils import lazy_property as lazy_property
from rushlight.distributions.von_mises import VonMises as VonMises
from torch.distributions import constraints as constraints
