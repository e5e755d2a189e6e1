# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.control import Function as Function
from rushlight.func.control import cond as cond
from rushlight.func.control import while_loop as while_loop
from rushlight.func.tree import flatten as flatten
