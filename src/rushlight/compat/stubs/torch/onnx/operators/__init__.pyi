# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.onnx.operators import reshape_from_tensor_shape as reshape_from_tensor_shape
from rushlight.operators.tensors.info import _shape_as_tensor as _of_shape_as_tensor

shape_as_tensor = _of_shape_as_tensor
