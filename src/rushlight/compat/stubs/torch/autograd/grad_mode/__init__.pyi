# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.grad_mode import (
    _DecoratorContextManager as _DecoratorContextManager, enable_grad as enable_grad, inference_mode as inference_mode,
    no_grad as no_grad, set_grad_enabled as set_grad_enabled, set_multithreading_enabled as set_multithreading_enabled,
)
