# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.optim._options import AT_LEAST_0 as AT_LEAST_0
from rushlight.optim._options import options_of as options_of
from rushlight.optim._terms import averaged as averaged
from rushlight.optim._terms import decayed as decayed
from rushlight.optim._terms import downhill as downhill
from rushlight.optim._terms import moments as moments
from rushlight.optim.adam_variants import ASGD as ASGD
from rushlight.optim.adam_variants import Adamax as Adamax
from rushlight.optim.adam_variants import NAdam as NAdam
from rushlight.optim.adam_variants import RAdam as RAdam
from rushlight.optim.optimizer import Bucket as Bucket
from rushlight.optim.optimizer import ParamsT as ParamsT
from rushlight.optim.optimizer import SteppedOptimizer as SteppedOptimizer
from rushlight.optim.optimizer import number as number
from rushlight.optim.optimizer import rate as rate
from rushlight.optim.optimizer import zeros_for as zeros_for
