# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.jit.asking import OF_VALUES as OF_VALUES
from rushlight.jit.asking import SAID as SAID
from rushlight.jit.asking import line_of_program as line_of_program
