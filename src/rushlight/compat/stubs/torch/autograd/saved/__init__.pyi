# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.saved import SavedTensor as SavedTensor, names as names, value as value
from rushlight.core.tensor import Tensor as Tensor
