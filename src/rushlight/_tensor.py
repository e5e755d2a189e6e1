"""The class of tensors, where PyTorch has it."""

from __future__ import annotations

from rushlight.core.tensor import Tensor

__all__ = ["Tensor"]
