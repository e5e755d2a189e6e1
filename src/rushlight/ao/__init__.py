"""`torch.ao`: quantization, of which the names are there."""

from __future__ import annotations

from rushlight.ao import nn, quantization

__all__ = ["nn", "quantization"]
