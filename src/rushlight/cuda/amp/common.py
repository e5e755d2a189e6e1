"""Whether there is mixed precision for CUDA devices, in the module where PyTorch has the question."""

from __future__ import annotations

from rushlight.cuda.amp import amp_definitely_not_available

__all__ = ["amp_definitely_not_available"]
