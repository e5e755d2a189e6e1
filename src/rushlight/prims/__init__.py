"""The primitives, some 190, one file per family. `prims.add(x, y)` emits to the current Builder; PRIMS holds all by
name.

The families are loaded when a primitive is first asked for: a program that has traced nothing needs none.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

_CALLED_AS_A_PRIMITIVE = frozenset({"attention", "fft", "gather", "recurrence"})


class _Package(ModuleType):
    def __setattr__(self, name: str, value: Any) -> None:
        # An import of a family's file binds its name here, where `prims.fft` is the primitive.
        if not (name in _CALLED_AS_A_PRIMITIVE and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package

if TYPE_CHECKING:
    from rushlight.prims.families import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        families = import_module("rushlight.prims.families")
        globals().update({key: getattr(families, key) for key in families.__all__})
        return getattr(families, name)
