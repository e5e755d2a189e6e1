# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.jit import fork as fork
from rushlight.jit import wait as wait
