"""The namespace of `torch.ao.nn`."""

from __future__ import annotations

from rushlight.ao.nn import quantized

__all__ = ["quantized"]
