"""Linear algebra in PyTorch's names: the operators of the table whose namespace is linalg."""
from __future__ import annotations

from typing import TYPE_CHECKING

from rushlight.core.errors import LinAlgError
from rushlight.ops._define import TABLE

globals().update({name.removeprefix("linalg."): op for name, op in TABLE.items() if name.startswith("linalg.")})

if TYPE_CHECKING:
    from rushlight.linalg._operators import *  # noqa: F403  # by tools/stubs.py

__all__ = ["LinAlgError"]
