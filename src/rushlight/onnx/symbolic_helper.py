"""Names of `torch.onnx.symbolic_helper`: how packages mark the functions that tell ONNX's exporter, which rushlight
lacks, of their operators.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from rushlight.onnx import TensorProtoDataType as _T

__all__ = ["cast_pytorch_to_onnx", "parse_args", "quantized_args"]

# The names of types of tensors -> ONNX's numbers.
cast_pytorch_to_onnx = {
    "Byte": _T.UINT8,
    "Char": _T.INT8,
    "Double": _T.DOUBLE,
    "Float": _T.FLOAT,
    "Half": _T.FLOAT16,
    "Int": _T.INT32,
    "Long": _T.INT64,
    "Short": _T.INT16,
    "Bool": _T.BOOL,
    "ComplexFloat": _T.COMPLEX64,
    "ComplexDouble": _T.COMPLEX128,
    "BFloat16": _T.BFLOAT16,
    "Float8E4M3FN": _T.FLOAT8E4M3FN,
    "Float8E4M3FNUZ": _T.FLOAT8E4M3FNUZ,
    "Float8E5M2": _T.FLOAT8E5M2,
    "Float8E5M2FNUZ": _T.FLOAT8E5M2FNUZ,
    "Undefined": _T.UNDEFINED,
}
F = TypeVar("F", bound=Callable[..., Any])


def parse_args(*arg_descriptors: str) -> Callable[[F], F]:
    """Mark what a function's arguments are; the function stays as it is, for no exporter calls it."""
    return lambda function: function


def quantized_args(
    *arg_q_descriptors: bool, scale: float | None = None, zero_point: int | None = None, quantize_output: bool = True
) -> Callable[[F], F]:
    """Mark which of a function's arguments may be quantized; the function stays as it is, for no exporter calls it."""
    return lambda function: function
