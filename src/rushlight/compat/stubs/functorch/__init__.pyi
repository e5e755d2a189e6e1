# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat.functorch import combine_state_for_ensemble as combine_state_for_ensemble
from rushlight.compat.functorch import functionalize as functionalize
from rushlight.compat.functorch import grad as grad
from rushlight.compat.functorch import grad_and_value as grad_and_value
from rushlight.compat.functorch import hessian as hessian
from rushlight.compat.functorch import jacfwd as jacfwd
from rushlight.compat.functorch import jacrev as jacrev
from rushlight.compat.functorch import jvp as jvp
from rushlight.compat.functorch import make_functional as make_functional
from rushlight.compat.functorch import make_functional_with_buffers as make_functional_with_buffers
from rushlight.compat.functorch import vjp as vjp
from rushlight.compat.functorch import vmap as vmap
from rushlight.func.module_calls import functional_call as functional_call
from rushlight.func.module_calls import stack_module_state as stack_module_state
from rushlight.fx.experimental.proxy_tensor import make_fx as make_fx
from rushlight.nn.modules.module import Module as Module
from torch import func as func
