"""Signal processing in PyTorch's names: the windows. Fourier transforms are in `rushlight.fft`."""

from __future__ import annotations

from rushlight.signal import windows

__all__ = ["windows"]
