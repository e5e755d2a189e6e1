# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.optim._functional import sgd as sgd
from rushlight.optim._options import options_of as options_of
from rushlight.optim._terms import downhill as downhill
from rushlight.optim.optimizer import Optimizer as Optimizer
from rushlight.optim.optimizer import ParamsT as ParamsT
from rushlight.optim.optimizer import Row as Row
from rushlight.optim.optimizer import number as number
from rushlight.optim.optimizer import rate as rate
from rushlight.optim.sgd import SGD as SGD
