# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.grad_mode import inference_mode as inference_mode
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.derivatives import (
    _Tape as _Tape, grad as grad, grad_and_value as grad_and_value, hessian as hessian, jacfwd as jacfwd, jacrev as jacrev,
    jvp as jvp, linearize as linearize, take_apart_loosely as take_apart_loosely, vjp as vjp,
)
from rushlight.func.levels import (
    Batched as Batched, Dual as Dual, Level as Level, Parts as Parts, TRANSFORM as TRANSFORM, Wrapper as Wrapper,
    batched as batched, dual as dual, in_force as in_force, put_together as put_together, take_apart as take_apart,
)
from rushlight.func.mapping import vmap as vmap
from rushlight.func.tree import flatten as flatten, tree_map as tree_map
from rushlight.utils._checks import check_argument as check_argument
