# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.optim._options import options_of as options_of
from rushlight.optim.matrices import Adafactor as Adafactor
from rushlight.optim.matrices import Muon as Muon
from rushlight.optim.matrices import _OneByOne as _OneByOne
from rushlight.optim.optimizer import Optimizer as Optimizer
from rushlight.optim.optimizer import ParamsT as ParamsT
from rushlight.optim.optimizer import number as number
