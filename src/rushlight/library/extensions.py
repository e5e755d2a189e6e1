"""Extensions of packages that are compiled for PyTorch: they do not load here, and the operators that each would have
registered are defined by a module of ours in its place.
"""

from __future__ import annotations

import os
from importlib import import_module

# (package, extension) -> the module that defines its operators.
_MODULES = {("torchvision", "_C"): "rushlight.library.vision", ("torchvision", "image"): "rushlight.library.images"}


def take_over(path: str) -> bool:
    """Define the operators of the extension at `path`; False where it is none that rushlight has the operators of."""
    folder, file = os.path.split(os.path.abspath(path))
    module = _MODULES.get((os.path.basename(folder), file.partition(".")[0]))
    if module is None or not os.path.exists(path):
        return False
    import_module(module)
    return True
