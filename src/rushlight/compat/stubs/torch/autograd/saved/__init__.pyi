# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.saved import (
    InputMetadata as InputMetadata, SavedTensor as SavedTensor, metadata as metadata, names as names, value as value,
)
from rushlight.core.places import CPU as CPU, Size as Size
from rushlight.core.tensor import Tensor as Tensor
