# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.module_calls import (
    functional_call as functional_call, functionalize as functionalize,
    replace_all_batch_norm_modules_ as replace_all_batch_norm_modules_, replaced_tensors as replaced_tensors,
    stack_module_state as stack_module_state,
)
