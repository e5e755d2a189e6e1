# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.optim._options import AT_LEAST_0 as AT_LEAST_0
from rushlight.optim._options import options_of as options_of
from rushlight.optim._terms import downhill as downhill
from rushlight.optim.adaptive import Adadelta as Adadelta
from rushlight.optim.adaptive import Adagrad as Adagrad
from rushlight.optim.adaptive import RMSprop as RMSprop
from rushlight.optim.adaptive import Rprop as Rprop
from rushlight.optim.optimizer import ParamsT as ParamsT
from rushlight.optim.optimizer import Row as Row
from rushlight.optim.optimizer import SteppedOptimizer as SteppedOptimizer
from rushlight.optim.optimizer import number as number
from rushlight.optim.optimizer import rate as rate
from rushlight.optim.optimizer import zeros_for as zeros_for
