# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat.functorch import (
    combine_state_for_ensemble as combine_state_for_ensemble, functionalize as functionalize, grad as grad,
    grad_and_value as grad_and_value, hessian as hessian, jacfwd as jacfwd, jacrev as jacrev, jvp as jvp,
    make_functional as make_functional, make_functional_with_buffers as make_functional_with_buffers, vjp as vjp, vmap as vmap,
)
from rushlight.func.module_calls import functional_call as functional_call, stack_module_state as stack_module_state
from torch import func as func
