# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.devices import Size as Size
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions.constraints import Constraint as Constraint
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.distribution import holds as holds
from rushlight.distributions.utils import LazyOfClass as LazyOfClass
from rushlight.distributions.utils import broadcast_all as broadcast_all
from torch.distributions import constraints as constraints
