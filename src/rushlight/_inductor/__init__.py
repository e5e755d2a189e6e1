"""The room of PyTorch's compiler of kernels: its settings can be written. Kernels here come from rushlight's own
compiler, which none of these steers.
"""

from __future__ import annotations

from rushlight._inductor import config

__all__ = ["config"]
