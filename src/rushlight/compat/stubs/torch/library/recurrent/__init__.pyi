# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.library.recurrent import STEPS as STEPS
