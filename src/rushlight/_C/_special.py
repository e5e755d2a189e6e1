"""PyTorch's inner names of the functions of torch.special."""

from __future__ import annotations

from rushlight import special

for _name in dir(special):
    if (
        not _name.startswith("_")
        and callable(getattr(special, _name))
        and not isinstance(getattr(special, _name), type)
    ):
        globals()[f"special_{_name}"] = getattr(special, _name)
