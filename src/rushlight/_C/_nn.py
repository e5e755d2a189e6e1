"""PyTorch's inner names of what `torch.nn.functional` hands on as it is."""

from __future__ import annotations

from typing import Any

from rushlight.nn import functional
from rushlight.nn.functional import (
    avg_pool2d,
    avg_pool3d,
    elu_,
    gelu,
    hardtanh_,
    leaky_relu_,
    linear,
    one_hot,
    scaled_dot_product_attention,
    softplus,
    softshrink,
)

__all__ = [
    "avg_pool2d",
    "avg_pool3d",
    "elu_",
    "gelu",
    "hardtanh_",
    "leaky_relu_",
    "linear",
    "log_sigmoid",
    "one_hot",
    "scaled_dot_product_attention",
    "softplus",
    "softshrink",
]

log_sigmoid = functional.logsigmoid


def _parse_to(*args: Any, **kwargs: Any) -> tuple[Any, Any, bool, Any]:
    """What the arguments of `to` mean: (device, dtype, non_blocking, memory_format)."""
    from rushlight.nn.modules.module import _parse_to

    return _parse_to(args, kwargs)
