"""PyTorch's name for a part of loss.py: programs and saved modules ask for it here."""

from __future__ import annotations

from .loss import CosineSimilarity, PairwiseDistance

__all__ = ["CosineSimilarity", "PairwiseDistance"]
