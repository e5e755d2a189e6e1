# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.library.leaves import (
    Call as Call, LEAVES as LEAVES, Rule as Rule, WHOLE as WHOLE, basic_index as basic_index, call as call,
)
from rushlight.library.signatures import SIGNATURES as SIGNATURES
