# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.optim._options import AT_LEAST_0 as AT_LEAST_0, options_of as options_of
from rushlight.optim.adaptive import Adadelta as Adadelta, Adagrad as Adagrad, RMSprop as RMSprop, Rprop as Rprop
from rushlight.optim.optimizer import (
    SteppedOptimizer as SteppedOptimizer, number as number, rate as rate, zeros_for as zeros_for,
)
