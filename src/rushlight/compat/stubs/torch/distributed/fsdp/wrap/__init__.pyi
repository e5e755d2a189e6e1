# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Function as _Function

always_wrap_policy: _Function
enable_wrap: _Function
lambda_auto_wrap_policy: _Function
size_based_auto_wrap_policy: _Function
transformer_auto_wrap_policy: _Function
wrap: _Function
