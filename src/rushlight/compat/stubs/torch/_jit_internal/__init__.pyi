# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.jit import export as export, ignore as ignore, unused as unused
