# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.optim._options import options_of as options_of
from rushlight.optim.optimizer import ParamsT as ParamsT
from rushlight.optim.optimizer import SteppedOptimizer as SteppedOptimizer
from rushlight.optim.optimizer import number as number
from rushlight.optim.optimizer import rate as rate
from rushlight.optim.sparse_adam import SparseAdam as SparseAdam
