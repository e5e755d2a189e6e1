"""`torch.ops`: the namespaces of operators that programs and packages define with `torch.library`."""

from __future__ import annotations

import os

from rushlight.core.naming import made_by_name
from rushlight.library import aten as _aten  # noqa: F401  # makes the namespace `aten`
from rushlight.library import ranges as _ranges  # noqa: F401  # and `profiler`
from rushlight.library.extensions import take_over
from rushlight.library.operator import namespace

loaded_libraries: set[str] = set()


def load_library(path: str | os.PathLike[str]) -> None:
    """Stand in for a compiled library of PyTorch operators: the file is not loaded; if it is one of torchvision's
    extensions, rushlight's own versions of its operators are defined.

    Raises:
        OSError: it is any other library; such a file is linked against PyTorch.
    """
    path = os.fspath(path)
    if path in loaded_libraries:
        return
    if not take_over(path):
        raise OSError(
            f"torch.ops.load_library(): {path!r} is compiled for PyTorch's own library, which is not there; define "
            "the operators in Python with torch.library"
        )
    loaded_libraries.add(path)


__getattr__ = made_by_name("torch.ops", namespace)
