"""The scaler of losses for CUDA devices, in the module where PyTorch has it."""

from __future__ import annotations

from rushlight.cuda.amp import GradScaler

__all__ = ["GradScaler"]
