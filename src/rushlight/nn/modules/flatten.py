"""PyTorch's name for a part of shape.py: programs and saved modules ask for it here."""

from __future__ import annotations

from .shape import Flatten, Unflatten

__all__ = ["Flatten", "Unflatten"]
