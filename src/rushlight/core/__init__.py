"""The compiled core: storages, tensors, dtypes, dispatch, launch and the autograd engine. Knows nothing of
operators.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec
from types import ModuleType

# The modules that are linked into one file; src/rushlight/meson.build compiles them.
COMPILED = frozenset(
    (
        "_native aliasing arrays base dispatch draw engine execute factory flatten fused hooks indexing joining"
        " launch library lines locks named patched pending raw record replay storage tape tensor tracebacks views watch"
    ).split()
)
FILE = f"{__path__[0]}/compiled{EXTENSION_SUFFIXES[0]}"


class _Finder:
    """Finds the compiled modules in their one file. (Python's own finders look for a file of each module's name.)"""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        package, _, module = name.rpartition(".")
        if package != __name__ or module not in COMPILED:
            return None
        spec = ModuleSpec(name, ExtensionFileLoader(name, FILE), origin=FILE)
        spec.has_location = True  # the module's __file__
        return spec


sys.meta_path.insert(0, _Finder())

# Before any class is derived of Tensor: the first completes the class, the second indexing.
from rushlight.core import indexing as _indexing  # noqa: E402
from rushlight.core import patched as _patched  # noqa: E402

del _indexing, _patched
