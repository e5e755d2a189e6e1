"""Affine maps as modules."""

from __future__ import annotations

import math
from typing import Any

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.nn import init
from rushlight.nn.parameter import Parameter
from rushlight.operators.table.types import Device, DType

from .module import Module

__all__ = ["Bilinear", "Identity", "Linear"]


class _Affine(Module):
    """A map with a weight and, unless it is None, a bias."""

    weight: Any
    bias: Any

    def _make_(self, weight: tuple[int, ...], bias: int | None, **place: Any) -> None:
        """Register a weight of that shape and a bias of that size, and draw their values."""
        self.weight = Parameter(rushlight.empty(weight, **place))
        self.register_parameter("bias", None if bias is None else Parameter(rushlight.empty(bias, **place)))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias from uniform(-1/sqrt(n), 1/sqrt(n)) with n the size of the (first) input."""
        fan_in = self.weight.size(1)
        bound = 1 / math.sqrt(fan_in) if fan_in else 0.0
        for t in (self.weight, self.bias):
            if t is not None and t.numel():
                init.uniform_(t, -bound, bound)


class Identity(Module):
    """Returns its input; takes any arguments."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(_Affine):
    """x W^T + b.

    Args:
        in_features: how many features a sample has, in the input's last dimension.
        out_features: how many it has in the output.
        bias: whether b is learned.
    """

    __constants__ = ["in_features", "out_features"]

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Device = None, dtype: DType = None
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self._make_((out_features, in_features), out_features if bias else None, device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw weight and bias from uniform(-1/sqrt(n), 1/sqrt(n)) with n the size of the input."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in = self.weight.size(1)
            bound = 1 / math.sqrt(fan_in) if fan_in else 0.0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        # Straight from the table: a parameter found by __getattr__ costs more than a small product.
        params: Any = self._parameters
        try:
            weight, bias = params["weight"], params["bias"]
        except KeyError:  # a parametrization or a plain tensor goes by the name now
            weight, bias = self.weight, self.bias
        return F.linear(input, weight, bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear under the name by which attention's output projection is known in saved models."""


class Bilinear(_Affine):
    """x1^T A x2 + b for each output feature.

    Args:
        in1_features: how many features x1 has, in its last dimension.
        in2_features: how many x2 has.
        out_features: how many the output has.
        bias: whether b is learned.

    Raises:
        ValueError: ``in1_features`` is not positive.
    """

    __constants__ = ["in1_features", "in2_features", "out_features"]

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Device = None,
        dtype: DType = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"Bilinear: in1_features must be positive; found {in1_features}")
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        shape = (out_features, in1_features, in2_features)
        self._make_(shape, out_features if bias else None, device=device, dtype=dtype)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        sizes = (f"{name}={getattr(self, name)}" for name in ("in1_features", "in2_features", "out_features"))
        return ", ".join([*sizes, f"bias={self.bias is not None}"])
