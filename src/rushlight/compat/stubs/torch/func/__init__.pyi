# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.func.derivatives import (
    grad as grad, grad_and_value as grad_and_value, hessian as hessian, jacfwd as jacfwd, jacrev as jacrev, jvp as jvp,
    linearize as linearize, vjp as vjp,
)
from rushlight.func.mapping import vmap as vmap
from rushlight.func.module_calls import (
    functional_call as functional_call, functionalize as functionalize,
    replace_all_batch_norm_modules_ as replace_all_batch_norm_modules_, stack_module_state as stack_module_state,
)
from rushlight.func.rearranging import rearrange as rearrange
from torch.func import (
    by_example as by_example, control as control, derivatives as derivatives, derive as derive, levels as levels,
    mapping as mapping, module_calls as module_calls, random_mode as random_mode, rearranging as rearranging, tree as tree,
)
