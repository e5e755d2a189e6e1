# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.devices import Size as Size
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions._parameters import ProbsOrLogits as ProbsOrLogits
from rushlight.distributions.categorical import Categorical as Categorical
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.utils import broadcast_all as broadcast_all
from torch.distributions import constraints as constraints
