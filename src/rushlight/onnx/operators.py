"""Functions that PyTorch's ONNX exporter writes as operators of ONNX; there is no exporter here, and they compute."""

from __future__ import annotations

from rushlight.core.tensor import Tensor
from rushlight.operators.tensors.info import _shape_as_tensor as shape_as_tensor

__all__ = ["reshape_from_tensor_shape", "shape_as_tensor"]


def reshape_from_tensor_shape(x: Tensor, shape: Tensor) -> Tensor:
    """`x` in the shape that a tensor of int64 holds."""
    return x.reshape(shape.tolist())
