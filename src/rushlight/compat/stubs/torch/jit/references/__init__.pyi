# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.jit.references import Place as Place
from rushlight.jit.references import References as References
from rushlight.nn.modules.module import Module as Module
