# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.devices import Size as Size
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions.categorical import Categorical as Categorical
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.mixture_same_family import MixtureSameFamily as MixtureSameFamily
from torch.distributions import constraints as constraints
