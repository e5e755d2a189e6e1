"""PyTorch's inner names of the functions of torch.linalg."""

from __future__ import annotations

from rushlight import linalg

for _name in dir(linalg):
    if not _name.startswith("_") and callable(getattr(linalg, _name)) and not isinstance(getattr(linalg, _name), type):
        globals()[f"linalg_{_name}"] = getattr(linalg, _name)
