# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.backends.quantized import engine as engine
from rushlight.backends.quantized import supported_engines as supported_engines
