# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.optim._options import options_of as options_of
from rushlight.optim.lbfgs import LBFGS as LBFGS
from rushlight.optim.lbfgs import _Point as _Point
from rushlight.optim.lbfgs import _StrongWolfe as _StrongWolfe
from rushlight.optim.optimizer import Optimizer as Optimizer
from rushlight.optim.optimizer import ParamsT as ParamsT
from rushlight.optim.optimizer import number as number
