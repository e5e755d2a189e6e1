"""Mixed precision on CUDA devices, under the names from before `rushlight.amp`."""

from __future__ import annotations

from rushlight.amp._by_device import CudaAutocast as autocast
from rushlight.amp._by_device import CudaGradScaler as GradScaler
from rushlight.amp._by_device import cuda_custom_bwd as custom_bwd
from rushlight.amp._by_device import cuda_custom_fwd as custom_fwd

__all__ = ["GradScaler", "amp_definitely_not_available", "autocast", "custom_bwd", "custom_fwd"]


def amp_definitely_not_available() -> bool:
    """Whether mixed precision cannot work on CUDA: there is no device."""
    return True
