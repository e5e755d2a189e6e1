"""A linear map and the cross entropy of its results in one module."""

from __future__ import annotations

import math

from rushlight import Tensor
from rushlight.operators.table.types import Device, DType

from ._functional import FunctionModule
from .linear import Linear
from .linear_cross_entropy_options import LinearCrossEntropyOptions

__all__ = ["LinearCrossEntropyLoss"]


class LinearCrossEntropyLoss(FunctionModule, function="linear_cross_entropy"):
    """cross_entropy of a linear map's results, without keeping them.

    Args:
        in_features: how many features a sample has.
        num_classes: C.
        out_features: further dimensions of each example's target.
        bias: whether the map has a bias.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.
        weight: (C,), the classes' weights.
        ignore_index: a class without loss.
        label_smoothing: in [0, 1].
        options: how it is computed.
    """

    __constants__ = ["num_classes", "out_features", "reduction", "ignore_index", "label_smoothing"]

    _options_ = ("weight", "reduction", "ignore_index", "label_smoothing", "options")
    _shown_ = (
        "in_features",
        "num_classes",
        "out_features",
        "bias",
        "reduction",
        "ignore_index",
        "label_smoothing",
        "options",
    )

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Device = None,
        dtype: DType = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: LinearCrossEntropyOptions | None = None,
    ) -> None:
        super().__init__()
        self._set_(num_classes=num_classes, out_features=tuple(out_features))
        self._set_(reduction=reduction, ignore_index=ignore_index, label_smoothing=label_smoothing, options=options)
        size = num_classes * math.prod(self.out_features)
        self.linear = Linear(in_features, size, bias=bias, device=device, dtype=dtype)
        self.register_buffer("weight", weight)

    @property
    def in_features(self) -> int:
        """How many features a sample has."""
        return self.linear.in_features

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of inputs (N, in_features) and targets (N, *out_features), or probabilities (N, C,
        *out_features).
        """
        shape = (self.num_classes, *self.out_features)
        weight, bias = self.linear.weight.unflatten(0, shape), self.linear.bias
        return self._compute_(input, weight, target, linear_bias=None if bias is None else bias.reshape(shape))

    def extra_repr(self) -> str:
        values = {name: getattr(self, name, None) for name in self._shown_} | {"bias": self.linear.bias is not None}
        return ", ".join(f"{name}={values[name]}" for name in self._shown_)
