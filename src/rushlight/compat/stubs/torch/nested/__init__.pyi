# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nested import as_nested_tensor as as_nested_tensor
from rushlight.nested import masked_select as masked_select
from rushlight.nested import narrow as narrow
from rushlight.nested import nested_tensor as nested_tensor
from rushlight.nested import nested_tensor_from_jagged as nested_tensor_from_jagged
from rushlight.nested import to_padded_tensor as to_padded_tensor
from rushlight.utils._absent import absent_function as absent_function
