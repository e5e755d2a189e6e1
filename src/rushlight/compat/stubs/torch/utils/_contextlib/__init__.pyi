# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.grad_mode import _DecoratorContextManager as _DecoratorContextManager
