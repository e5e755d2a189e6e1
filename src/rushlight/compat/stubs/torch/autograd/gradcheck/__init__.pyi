# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.grad_mode import no_grad as no_grad
from rushlight.autograd.gradcheck import GradcheckError as GradcheckError
from rushlight.autograd.gradcheck import _Checks as _Checks
from rushlight.autograd.gradcheck import gradcheck as gradcheck
from rushlight.autograd.gradcheck import gradgradcheck as gradgradcheck
from rushlight.core.dtypes import float64 as float64
from rushlight.core.tensor import Tensor as Tensor
