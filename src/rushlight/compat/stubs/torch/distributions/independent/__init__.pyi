# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.devices import Size as Size
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.independent import D as D
from rushlight.distributions.independent import Independent as Independent
from torch.distributions import constraints as constraints
