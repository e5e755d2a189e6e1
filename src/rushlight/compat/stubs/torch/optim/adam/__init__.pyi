# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.optim._functional import adam as adam
from rushlight.optim._options import options_of as options_of
from rushlight.optim._terms import averaged as averaged
from rushlight.optim._terms import decayed as decayed
from rushlight.optim._terms import moments as moments
from rushlight.optim.adam import Adam as Adam
from rushlight.optim.adam import AdamW as AdamW
from rushlight.optim.optimizer import ParamsT as ParamsT
from rushlight.optim.optimizer import SteppedOptimizer as SteppedOptimizer
from rushlight.optim.optimizer import rate as rate
