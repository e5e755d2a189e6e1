"""Under the alias everything public is torch's: modules, classes and functions carry the names that PyTorch gives them.

A module that is loaded under the alias runs under its torch name, so that whatever it defines is torch's from the
first; what was loaded before is renamed. places.py has what PyTorch keeps in another module than rushlight.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import sys
from types import CodeType, FunctionType, ModuleType
from typing import Any

from rushlight.compat import absent
from rushlight.compat.places import NAMESPACES, OWN, PLACES
from rushlight.core.patched import name_class
from rushlight.core.storage import Storage
from rushlight.core.tensor import Tensor, attach, withdraw
from rushlight.operators.table import define as _define
from rushlight.operators.table.returns import TYPES

# Layers that PyTorch lacks, whose modules keep their own names.
_INTERNAL = ("array_api", "compat", "core", "operators", "prims", "program", "transforms")
_COMPILED: dict[Any, tuple[str, str]] = {
    Tensor: ("rushlight.core.tensor.Tensor", "torch.Tensor"),
    Storage: ("rushlight.core.storage.Storage", "torch.storage.UntypedStorage"),
}


_HEAP = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class that Python has made, not the core


def is_public(name: str) -> bool:
    """Whether a module of rushlight's has a place in torch."""
    parts = name.split(".")
    return parts[0] == "rushlight" and (
        len(parts) == 1 or parts[1] not in _INTERNAL and (parts[1] != "compiler" or len(parts) == 2)
    )


def swapped(name: str, old: str, new: str) -> str:
    """A dotted name with the root `new` in the place of `old`."""
    return new + name.removeprefix(old)


class NamingLoader(importlib.machinery.SourceFileLoader):
    """Runs a module of rushlight's under its torch name."""

    def exec_module(self, module: ModuleType) -> None:
        own = module.__name__
        name = swapped(own, "rushlight", "torch")
        module.__name__ = name
        sys.modules.setdefault(name, module)
        try:
            code = self.get_code(own)  # which a loader gives by the name that it was made for
            assert code is not None
            exec(code, module.__dict__)
        except BaseException:
            if sys.modules.get(name) is module:
                del sys.modules[name]
            raise
        place(own, module, "torch")


class NamespaceLoader:
    """Makes a module that PyTorch has and rushlight has no file for: of the classes and functions that PyTorch keeps
    there.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def create_module(self, spec: Any) -> None:
        """The usual empty module."""

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(absent.absent(self.name))
        for own, names in NAMESPACES.get(self.name, {}).items():
            source = importlib.import_module(own)
            for name in names.split():
                setattr(module, name, getattr(source, name))

    def get_code(self, name: str) -> CodeType:
        """What `python -m` runs of the module: its `main`.

        Raises:
            ImportError: it has none.
        """
        for own, names in NAMESPACES.get(self.name, {}).items():
            if "main" in names.split():
                return compile(f"from {own} import main\nmain()\n", f"<{self.name}>", "exec")
        raise ImportError(f"{self.name} cannot be run as a program: rushlight lacks it", name=self.name)


def rename(old: str, new: str) -> None:
    """Give every public module that is loaded, and what it defines, the root `new`."""
    _define.ROOT[0] = new
    for cls, (own, theirs) in _COMPILED.items():
        name_class(cls, theirs if new == "torch" else own)
    for name, method in importlib.import_module("rushlight")._OWN_METHODS.items():
        if new == "torch":
            withdraw(name)
        else:
            attach(name, method)
    for value in TYPES.values():
        value.__module__ = f"{new}.return_types"
    for key, module in list(sys.modules.items()):
        if not isinstance(module, ModuleType) or not key.startswith("rushlight"):
            continue
        if is_public(key):
            module.__name__ = swapped(key, "rushlight", new)
        for value in list(vars(module).values()):
            if isinstance(value, FunctionType) or isinstance(value, type) and value.__flags__ & _HEAP:
                before = value.__module__
                if before and before.partition(".")[0] == old and is_public(swapped(before, old, "rushlight")):
                    value.__module__ = swapped(before, old, new)
        place(key, module, new)


def place(own: str, module: ModuleType, root: str) -> None:
    """Let what PyTorch keeps elsewhere say so."""
    for name, (_, theirs) in PLACES.get(own, {}).items():
        value = vars(module).get(name, _define.FUNCTIONS.get(name))  # the table alone has what a loop has made
        there = theirs if root == "torch" else own
        if isinstance(value, type) and not value.__flags__ & _HEAP:
            if value not in _COMPILED:
                name_class(value, f"{there}.{name}")
        elif isinstance(value, (type, FunctionType)):
            value.__module__ = there


def shown_names() -> list[str]:
    """dir(torch): without what is rushlight's own."""
    import rushlight

    return sorted({*vars(rushlight), *rushlight._LAZY, *rushlight._MODULES, "torch"} - OWN)
