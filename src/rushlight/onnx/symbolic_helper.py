"""Names of `torch.onnx.symbolic_helper`: how packages mark the functions that tell ONNX's exporter, which rushlight lacks, of their operators."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["parse_args", "quantized_args"]

F = TypeVar("F", bound=Callable[..., Any])


def parse_args(*arg_descriptors: str) -> Callable[[F], F]:
    """Mark what a function's arguments are; the function stays as it is, for no exporter calls it."""
    return lambda function: function


def quantized_args(*arg_q_descriptors: bool, scale: float | None = None, zero_point: int | None = None, quantize_output: bool = True) -> Callable[[F], F]:
    """Mark which of a function's arguments may be quantized; the function stays as it is, for no exporter calls it."""
    return lambda function: function
