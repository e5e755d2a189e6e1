# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.masked.tensor import MaskedTensor as MaskedTensor
from rushlight.masked.tensor import as_masked_tensor as as_masked_tensor
from rushlight.masked.tensor import is_masked_tensor as is_masked_tensor
from rushlight.masked.tensor import masked_tensor as masked_tensor
from rushlight.overrides import DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
