"""The room of `torch.ao`: quantization, of which the names are there."""
from __future__ import annotations

from rushlight.ao import quantization

__all__ = ["quantization"]
