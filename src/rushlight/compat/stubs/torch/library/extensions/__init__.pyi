# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.library.extensions import take_over as take_over
