# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.jit.operands import marked as marked
