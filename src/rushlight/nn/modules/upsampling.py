"""PyTorch's name for a part of shape.py: programs and saved modules ask for it here."""

from __future__ import annotations

from .shape import Upsample, UpsamplingBilinear2d, UpsamplingNearest2d

__all__ = ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]
