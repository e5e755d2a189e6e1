"""PyTorch's name for a part of normalization.py: programs and saved modules ask for it here."""

from __future__ import annotations

from .normalization import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d, _InstanceNorm

__all__ = ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "_InstanceNorm"]
