# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.grad_mode import inference_mode as inference_mode
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.derivatives import _Tape as _Tape
from rushlight.func.derivatives import grad as grad
from rushlight.func.derivatives import grad_and_value as grad_and_value
from rushlight.func.derivatives import hessian as hessian
from rushlight.func.derivatives import jacfwd as jacfwd
from rushlight.func.derivatives import jacrev as jacrev
from rushlight.func.derivatives import jvp as jvp
from rushlight.func.derivatives import linearize as linearize
from rushlight.func.derivatives import take_apart_loosely as take_apart_loosely
from rushlight.func.derivatives import vjp as vjp
from rushlight.func.levels import Batched as Batched
from rushlight.func.levels import Dual as Dual
from rushlight.func.levels import Level as Level
from rushlight.func.levels import Parts as Parts
from rushlight.func.levels import TRANSFORM as TRANSFORM
from rushlight.func.levels import Wrapper as Wrapper
from rushlight.func.levels import batched as batched
from rushlight.func.levels import dual as dual
from rushlight.func.levels import in_force as in_force
from rushlight.func.levels import put_together as put_together
from rushlight.func.levels import take_apart as take_apart
from rushlight.func.mapping import vmap as vmap
from rushlight.func.tree import flatten as flatten
from rushlight.func.tree import tree_map as tree_map
