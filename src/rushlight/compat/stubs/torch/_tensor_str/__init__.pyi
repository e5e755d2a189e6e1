# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.inspection.printing import set_printoptions as set_printoptions
