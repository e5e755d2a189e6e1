# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions.chi2 import Chi2 as Chi2
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.exp_family import ExponentialFamily as ExponentialFamily
from rushlight.distributions.multivariate_normal import _GivenByMatrix as _GivenByMatrix
from rushlight.distributions.wishart import Wishart as Wishart
from torch.distributions import constraints as constraints
