"""Tools around the tensor library: data loading, hooks. Submodules are loaded when first named."""

from __future__ import annotations

from typing import Any

from . import hooks

__all__ = ["data", "hooks"]


def __getattr__(name: str) -> Any:
    # checkpoint, dlpack, tensorboard and the like are found here as they are written, without costing import time.
    import importlib
    import importlib.util

    if not name.startswith("__") and importlib.util.find_spec(f"{__name__}.{name}") is not None:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
