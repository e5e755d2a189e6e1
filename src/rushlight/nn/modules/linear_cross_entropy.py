"""A linear map and the cross entropy of its results in one module."""

from __future__ import annotations

import math
from typing import Any

import rushlight.nn.functional as F
from rushlight import Tensor

from .linear import Linear
from .linear_cross_entropy_options import LinearCrossEntropyOptions
from .module import Module


class LinearCrossEntropyLoss(Module):
    """cross_entropy of a linear map's results, without keeping them.

    Args:
        in_features: size of the input's last dimension.
        num_classes: C.
        out_features: further dimensions of each example's target.
        bias: whether the map has a bias.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.
        weight: (C,), the classes' weights.
        ignore_index: a class without loss.
        label_smoothing: in [0, 1].
        options: how it is computed.
    """

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Any = None,
        dtype: Any = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: LinearCrossEntropyOptions | None = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.num_classes = num_classes
        self.out_features = tuple(out_features)
        self.reduction = reduction
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.options = options
        size = num_classes * math.prod(self.out_features)
        self.linear = Linear(in_features, size, bias=bias, device=device, dtype=dtype)
        self.register_buffer("weight", weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of inputs (N, in_features) and targets (N, *out_features), or probabilities (N, C, *out_features)."""
        shape = (self.num_classes, *self.out_features)
        bias = self.linear.bias
        return F.linear_cross_entropy(
            input,
            self.linear.weight.reshape(*shape, self.in_features),
            target,
            linear_bias=None if bias is None else bias.reshape(shape),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, num_classes={self.num_classes}, out_features={self.out_features}, "
            f"bias={self.linear.bias is not None}, reduction={self.reduction}, ignore_index={self.ignore_index}, "
            f"label_smoothing={self.label_smoothing}, options={self.options}"
        )
