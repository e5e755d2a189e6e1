# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.grad_mode import _DecoratorContextManager as _DecoratorContextManager
from rushlight.autograd.grad_mode import enable_grad as enable_grad
from rushlight.autograd.grad_mode import inference_mode as inference_mode
from rushlight.autograd.grad_mode import no_grad as no_grad
from rushlight.autograd.grad_mode import set_grad_enabled as set_grad_enabled
from rushlight.autograd.grad_mode import set_multithreading_enabled as set_multithreading_enabled
