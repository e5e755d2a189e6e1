# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.onnx.symbolic_helper import F as F, parse_args as parse_args, quantized_args as quantized_args
