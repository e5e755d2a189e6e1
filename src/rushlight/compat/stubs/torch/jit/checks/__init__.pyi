# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.jit.checks import asking as asking
from rushlight.jit.checks import fits as fits
