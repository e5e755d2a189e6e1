# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.functional import hessian as hessian
from rushlight.autograd.functional import hvp as hvp
from rushlight.autograd.functional import jacobian as jacobian
from rushlight.autograd.functional import jvp as jvp
from rushlight.autograd.functional import vhp as vhp
from rushlight.autograd.functional import vjp as vjp
from rushlight.autograd.grad_mode import enable_grad as enable_grad
from rushlight.core.tensor import Tensor as Tensor
