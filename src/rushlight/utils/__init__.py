"""Tools around the tensor library: data loading, hooks. Submodules are loaded when first named."""

from __future__ import annotations

from typing import Any

from . import hooks

__all__ = ["data", "hooks"]


def __getattr__(name: str) -> Any:
    # checkpoint, dlpack and the like are found here as they are written, without costing import time. tensorboard must
    # be imported by name, as in PyTorch: it needs a package that may not be there, and who asks by hasattr() is to get
    # an answer.
    import importlib
    import importlib.util

    if (
        not name.startswith("__")
        and name != "tensorboard"
        and importlib.util.find_spec(f"{__name__}.{name}") is not None
    ):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    import pkgutil

    return sorted({*globals(), *(m.name for m in pkgutil.iter_modules(__path__) if m.name != "tensorboard")})
