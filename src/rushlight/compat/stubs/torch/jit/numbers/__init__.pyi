# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.jit.numbers import Number as Number
