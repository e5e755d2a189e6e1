# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.backends.quantized import engine as engine, supported_engines as supported_engines
