# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.library import custom_op as custom_op
from rushlight.library import get_ctx as get_ctx
from rushlight.library import impl as impl
from rushlight.library import impl_abstract as impl_abstract
