# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.rearranging import _Merged as _Merged
from rushlight.func.rearranging import rearrange as rearrange
