# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.jit import export as export
from rushlight.jit import ignore as ignore
from rushlight.jit import unused as unused
