"""PyTorch's inner names of the functions of torch.fft."""

from __future__ import annotations

from rushlight import fft

for _name in dir(fft):
    if not _name.startswith("_") and callable(getattr(fft, _name)) and not isinstance(getattr(fft, _name), type):
        globals()[f"fft_{_name}"] = getattr(fft, _name)
