# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.backends.openmp import is_available as is_available
