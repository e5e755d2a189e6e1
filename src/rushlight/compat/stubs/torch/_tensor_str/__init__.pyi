# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.printing import set_printoptions as set_printoptions
