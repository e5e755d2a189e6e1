# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.module_calls import _Attributes as _Attributes
from rushlight.func.module_calls import functional_call as functional_call
from rushlight.func.module_calls import functionalize as functionalize
from rushlight.func.module_calls import replace_all_batch_norm_modules_ as replace_all_batch_norm_modules_
from rushlight.func.module_calls import replaced_tensors as replaced_tensors
from rushlight.func.module_calls import stack_module_state as stack_module_state
