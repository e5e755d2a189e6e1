# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.variable import Variable as Variable, _VariableMeta as _VariableMeta
from rushlight.core.tensor import Tensor as Tensor
