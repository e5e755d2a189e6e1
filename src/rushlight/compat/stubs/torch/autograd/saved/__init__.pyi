# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.saved import InputMetadata as InputMetadata
from rushlight.autograd.saved import SavedTensor as SavedTensor
from rushlight.autograd.saved import metadata as metadata
from rushlight.autograd.saved import names as names
from rushlight.autograd.saved import value as value
from rushlight.core.devices import CPU as CPU
from rushlight.core.devices import Size as Size
from rushlight.core.tensor import Tensor as Tensor
