# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.ao.nn.quantized import FloatFunctional as FloatFunctional
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.linear import Identity as Identity
from rushlight.nn.modules.module import Module as Module
