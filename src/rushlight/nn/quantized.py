"""The older place of `torch.ao.nn.quantized`."""

from __future__ import annotations

from rushlight.ao.nn.quantized import FloatFunctional

__all__ = ["FloatFunctional"]
