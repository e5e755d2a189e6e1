"""The older place of `torch.ao.quantization`."""

from __future__ import annotations

from rushlight.ao import quantization as _quantization

globals().update({name: getattr(_quantization, name) for name in _quantization.__all__})
__all__ = list(_quantization.__all__)
