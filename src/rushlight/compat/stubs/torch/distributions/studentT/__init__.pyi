# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions.chi2 import Chi2 as Chi2
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.studentT import StudentT as StudentT
from rushlight.distributions.utils import where_valid as where_valid
from torch.distributions import constraints as constraints
