"""Linear algebra in PyTorch's names: the operators of the table whose namespace is linalg."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rushlight.core.errors import LinAlgError
from rushlight.operators.table.define import public_names

globals().update(public_names("linalg"))

if TYPE_CHECKING:
    from rushlight.array_api.linalg import matrix_transpose, outer, tensordot, trace  # noqa: F401
    from rushlight.linalg._operators import *  # noqa: F403  # by tools/stubs.py
else:

    def __getattr__(name: str) -> Any:
        # What the array API standard has here and PyTorch lacks, when it is first used.
        if name in ("matrix_transpose", "outer", "tensordot", "trace"):
            from rushlight.array_api import linalg as standard

            globals()[name] = getattr(standard, name)
            return globals()[name]
        raise AttributeError(f"module 'rushlight.linalg' has no attribute '{name}'")


__all__ = ["LinAlgError"]
