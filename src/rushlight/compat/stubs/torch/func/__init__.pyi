# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.func.derivatives import grad as grad
from rushlight.func.derivatives import grad_and_value as grad_and_value
from rushlight.func.derivatives import hessian as hessian
from rushlight.func.derivatives import jacfwd as jacfwd
from rushlight.func.derivatives import jacrev as jacrev
from rushlight.func.derivatives import jvp as jvp
from rushlight.func.derivatives import linearize as linearize
from rushlight.func.derivatives import vjp as vjp
from rushlight.func.mapping import vmap as vmap
from rushlight.func.module_calls import functional_call as functional_call
from rushlight.func.module_calls import functionalize as functionalize
from rushlight.func.module_calls import replace_all_batch_norm_modules_ as replace_all_batch_norm_modules_
from rushlight.func.module_calls import stack_module_state as stack_module_state
from rushlight.func.rearranging import rearrange as rearrange
from torch.func import by_example as by_example
from torch.func import control as control
from torch.func import derivatives as derivatives
from torch.func import derive as derive
from torch.func import levels as levels
from torch.func import mapping as mapping
from torch.func import module_calls as module_calls
from torch.func import random_mode as random_mode
from torch.func import rearranging as rearranging
from torch.func import tree as tree
