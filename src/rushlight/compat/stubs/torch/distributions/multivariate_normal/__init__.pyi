# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.devices import Size as Size
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.multivariate_normal import MultivariateNormal as MultivariateNormal
from rushlight.distributions.multivariate_normal import _GivenByMatrix as _GivenByMatrix
from rushlight.distributions.utils import lazy_property as lazy_property
from torch.distributions import constraints as constraints
