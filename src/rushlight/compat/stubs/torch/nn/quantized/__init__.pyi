# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.ao.nn.quantized import FloatFunctional as FloatFunctional
