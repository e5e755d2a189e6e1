# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.functional import hessian as hessian, hvp as hvp, jacobian as jacobian, jvp as jvp, vhp as vhp, vjp as vjp
from rushlight.autograd.grad_mode import enable_grad as enable_grad
from rushlight.core.tensor import Tensor as Tensor
from rushlight.utils._checks import check_argument as check_argument
