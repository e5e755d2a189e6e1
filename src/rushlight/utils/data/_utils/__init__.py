"""Where PyTorch keeps the parts of its DataLoader."""

from __future__ import annotations

from . import collate

__all__ = ["collate"]
