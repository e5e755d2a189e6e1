# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.func.module_calls import replaced_tensors as replaced_tensors
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.utils.stateless import functional_call as functional_call
