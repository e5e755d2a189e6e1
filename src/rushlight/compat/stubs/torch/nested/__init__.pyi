# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nested import (
    as_nested_tensor as as_nested_tensor, masked_select as masked_select, narrow as narrow, nested_tensor as nested_tensor,
    nested_tensor_from_jagged as nested_tensor_from_jagged, to_padded_tensor as to_padded_tensor,
)
from rushlight.utils._absent import absent_function as absent_function
