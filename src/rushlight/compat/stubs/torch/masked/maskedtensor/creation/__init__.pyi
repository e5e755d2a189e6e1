# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.masked.tensor import as_masked_tensor as as_masked_tensor
from rushlight.masked.tensor import masked_tensor as masked_tensor
