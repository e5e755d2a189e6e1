# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Function as _Function
from rushlight.distributed._launching import main as main

get_args_parser: _Function
run: _Function
