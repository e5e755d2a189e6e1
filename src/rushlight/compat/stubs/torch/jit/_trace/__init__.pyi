# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.jit import trace as trace
from rushlight.jit import trace_module as trace_module
