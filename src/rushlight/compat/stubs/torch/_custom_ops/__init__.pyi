# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.library import custom_op as custom_op, get_ctx as get_ctx, impl as impl, impl_abstract as impl_abstract
