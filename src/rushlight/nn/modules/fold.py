"""PyTorch's name for a part of shape.py: programs and saved modules ask for it here."""

from __future__ import annotations

from .shape import Fold, Unfold

__all__ = ["Fold", "Unfold"]
