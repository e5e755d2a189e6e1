"""CUDA: not here. The switches hold what is set and steer nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.core.warning import warn

__all__ = [
    "enable_cudnn_sdp",
    "enable_flash_sdp",
    "enable_math_sdp",
    "enable_mem_efficient_sdp",
    "flash_sdp_enabled",
    "is_built",
    "math_sdp_enabled",
    "matmul",
    "mem_efficient_sdp_enabled",
    "sdp_kernel",
]


class _Matmul:
    """Precision of products on CUDA devices."""

    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True
    fp32_precision = "none"


matmul = _Matmul()
_attention = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}


def is_built() -> bool:
    """Whether the library was built with CUDA: no."""
    return False


def enable_flash_sdp(enabled: bool) -> None:
    """Allow that algorithm for attention on CUDA devices."""
    _attention["flash"] = bool(enabled)


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Allow that algorithm for attention on CUDA devices."""
    _attention["mem_efficient"] = bool(enabled)


def enable_math_sdp(enabled: bool) -> None:
    """Allow that algorithm for attention on CUDA devices."""
    _attention["math"] = bool(enabled)


def enable_cudnn_sdp(enabled: bool) -> None:
    """Allow that algorithm for attention on CUDA devices."""
    _attention["cudnn"] = bool(enabled)


def flash_sdp_enabled() -> bool:
    """What enable_flash_sdp() set."""
    return _attention["flash"]


def mem_efficient_sdp_enabled() -> bool:
    """What enable_mem_efficient_sdp() set."""
    return _attention["mem_efficient"]


def math_sdp_enabled() -> bool:
    """What enable_math_sdp() set."""
    return _attention["math"]


@contextmanager
def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> Iterator[None]:
    """Inside, the algorithms allowed for attention on CUDA devices are these."""
    warn("sdp_kernel() is deprecated; write torch.nn.attention.sdpa_kernel()", FutureWarning)
    old = dict(_attention)
    _attention.update(flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn)
    try:
        yield
    finally:
        _attention.update(old)


class SDPAParams:
    """What decides which algorithm attention takes on a CUDA device: the arguments of a call."""

    def __init__(
        self,
        query: Any,
        key: Any,
        value: Any,
        attn_mask: Any,
        dropout: float,
        is_causal: bool,
        enable_gqa: bool = False,
    ) -> None:
        self.query, self.key, self.value, self.attn_mask = query, key, value, attn_mask
        self.dropout, self.is_causal, self.enable_gqa = dropout, is_causal, enable_gqa


def can_use_flash_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Whether a call can take that algorithm: no, for there is no CUDA device."""
    return False


def can_use_efficient_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Whether a call can take that algorithm: no, for there is no CUDA device."""
    return False


def can_use_cudnn_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Whether a call can take that algorithm: no, for there is no CUDA device."""
    return False


def is_flash_attention_available() -> bool:
    """Whether the library was built with that algorithm: no."""
    return False
