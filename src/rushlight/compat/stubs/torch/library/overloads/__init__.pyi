# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.library.overloads import OVERLOADS as OVERLOADS
