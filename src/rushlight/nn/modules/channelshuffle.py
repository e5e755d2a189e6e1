"""PyTorch's name for a part of shape.py: programs and saved modules ask for it here."""

from __future__ import annotations

from .shape import ChannelShuffle

__all__ = ["ChannelShuffle"]
