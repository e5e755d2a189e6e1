# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules._functional import FunctionModule as FunctionModule
from rushlight.nn.modules.flatten import Flatten as Flatten
from rushlight.nn.modules.flatten import Unflatten as Unflatten
