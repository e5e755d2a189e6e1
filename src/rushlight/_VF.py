"""The functions of the package by the name under which PyTorch's own layers call them: `_VF.lstm` is `lstm`."""

from __future__ import annotations

from typing import Any

import rushlight


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # Python's questions about the module, which are not those about the package
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(rushlight, name)
