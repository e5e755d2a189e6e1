"""Mixed precision on the CPU, under the names from before `rushlight.amp`."""

from __future__ import annotations

from rushlight.amp._by_device import CpuAutocast as autocast
from rushlight.amp._by_device import CpuGradScaler as GradScaler

__all__ = ["GradScaler", "autocast"]
