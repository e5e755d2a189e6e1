# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.onnx import TensorProtoDataType as _of__T
from rushlight.onnx.symbolic_helper import F as F
from rushlight.onnx.symbolic_helper import cast_pytorch_to_onnx as cast_pytorch_to_onnx
from rushlight.onnx.symbolic_helper import parse_args as parse_args
from rushlight.onnx.symbolic_helper import quantized_args as quantized_args

_T = _of__T
