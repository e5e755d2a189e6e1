# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.library.calls import function_of as function_of
from rushlight.library.calls import function_of_overload as function_of_overload
from rushlight.library.calls import inner_call as inner_call
from rushlight.library.calls import is_leaf as is_leaf
from rushlight.library.graph_calls import GRAPH_CALLS as GRAPH_CALLS
from rushlight.library.inner import INNER as INNER
from rushlight.library.signatures import SIGNATURES as SIGNATURES
