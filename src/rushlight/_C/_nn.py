"""PyTorch's inner names of the functions that `torch.nn.functional` has unchanged."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight.nn import functional
from rushlight.nn.functional import (
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    avg_pool2d,
    avg_pool3d,
    elu,
    elu_,
    gelu,
    glu,
    hardsigmoid,
    hardswish,
    hardtanh,
    hardtanh_,
    leaky_relu,
    leaky_relu_,
    linear,
    mish,
    one_hot,
    pad,
    relu6,
    scaled_dot_product_attention,
    silu,
    softplus,
    softshrink,
)

__all__ = [
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "avg_pool2d",
    "avg_pool3d",
    "elu",
    "elu_",
    "gelu",
    "glu",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "log_sigmoid",
    "mish",
    "one_hot",
    "pad",
    "relu6",
    "scaled_dot_product_attention",
    "silu",
    "softplus",
    "softshrink",
]

log_sigmoid = functional.logsigmoid


def _parse_to(*args: Any, **kwargs: Any) -> tuple[Any, Any, bool, Any]:
    """What the arguments of `to` mean: (device, dtype, non_blocking, memory_format)."""
    from rushlight.nn.modules.module import _parse_to

    return _parse_to(args, kwargs)


def __getattr__(name: str) -> Any:
    if name.startswith(("upsample_", "_upsample_")):  # with aten's arguments: the size, then scales
        return getattr(rushlight.ops.aten, name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
