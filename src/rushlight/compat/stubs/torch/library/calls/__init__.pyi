# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.library.calls import function_of as function_of, inner_call as inner_call, is_leaf as is_leaf
from rushlight.library.inner import INNER as INNER
