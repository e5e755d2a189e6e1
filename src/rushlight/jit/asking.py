"""Where a program asks for what waits, and what it asks for."""

from __future__ import annotations

import sys
from typing import Any

from rushlight.core.errors import module_of

__all__ = ["OF_VALUES", "SAID", "line_of_program"]

# Names that a program calls, or reads, when it needs values; "" is a method of the core's, such as data_ptr().
OF_VALUES = frozenset(("", "local_scalar_dense", "tensor_repr", "repr_of", "numpy", "tolist", "nonzero"))

# The program's words, where the package's function has another name: `if x > 0` calls item() as well.
SAID = {"local_scalar_dense": "item", "tensor_repr": "repr", "repr_of": "repr", "tensor_backward": "backward"}

_BETWEEN = frozenset(("rushlight.jit.recording", "rushlight.operators.table.dispatch"))


def line_of_program() -> tuple[str, str, bool]:
    """The line of the program that is being run, the innermost outside of the package; the function of the package that
    it calls, "" where it is one of the core's; and whether that asks for values.
    """
    frame: Any = sys._getframe(2)
    name, values = "", False
    while frame is not None:
        module = module_of(frame.f_globals)
        if not module.startswith("rushlight."):
            return f"{frame.f_code.co_filename}:{frame.f_lineno}", name, values
        if module not in _BETWEEN:
            name = frame.f_code.co_name
            values = values or name in OF_VALUES
        frame = frame.f_back
    return "?", name, values
