# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Function as _Function
from rushlight.utils._absent import absent_names as absent_names

init: _Function
profile: _Function
start: _Function
stop: _Function
