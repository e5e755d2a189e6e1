# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.jit import trace as trace, trace_module as trace_module
