"""`torch.ops`: the namespaces of operators that programs and packages define with `torch.library`."""

from __future__ import annotations

from typing import NoReturn

from rushlight.core.naming import made_by_name
from rushlight.library import aten as _aten  # noqa: F401  # makes the namespace `aten`
from rushlight.library import ranges as _ranges  # noqa: F401  # and `profiler`
from rushlight.library.operator import namespace

loaded_libraries: set[str] = set()


def load_library(path: str) -> NoReturn:
    """Refused: OSError, since a compiled library of PyTorch operators is linked against PyTorch."""
    raise OSError(
        f"torch.ops.load_library(): {path!r} is compiled for PyTorch's own library, which is not there; define the "
        "operators in Python with torch.library"
    )


__getattr__ = made_by_name("torch.ops", namespace)
