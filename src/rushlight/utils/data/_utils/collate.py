"""How samples become a batch, where PyTorch has it."""

from __future__ import annotations

from rushlight.utils.data.collate import default_collate, default_convert

__all__ = ["default_collate", "default_convert"]
