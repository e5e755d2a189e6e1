"""Autocasting for CUDA devices, in the module where PyTorch has it."""

from __future__ import annotations

from rushlight.cuda.amp import autocast, custom_bwd, custom_fwd

__all__ = ["autocast", "custom_bwd", "custom_fwd"]
