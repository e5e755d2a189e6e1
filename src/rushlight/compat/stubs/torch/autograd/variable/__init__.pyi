# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.variable import Variable as Variable
from rushlight.autograd.variable import _VariableMeta as _VariableMeta
from rushlight.core.tensor import Tensor as Tensor
