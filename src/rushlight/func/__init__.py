"""Function transforms: derivatives and vectorisation of functions, in any combination."""

from __future__ import annotations

from rushlight.func.derivatives import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp
from rushlight.func.mapping import vmap
from rushlight.func.module_calls import (
    functional_call,
    functionalize,
    replace_all_batch_norm_modules_,
    stack_module_state,
)
from rushlight.func.rearranging import rearrange

__all__ = [
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "rearrange",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]
