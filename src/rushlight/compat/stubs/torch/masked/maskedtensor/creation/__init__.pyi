# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.masked.tensor import as_masked_tensor as as_masked_tensor, masked_tensor as masked_tensor
