"""What `import torch` finds first in processes that a program under rushlight starts: it puts rushlight in torch's
place there too.

`compat.install()` puts this folder's parent on PYTHONPATH. Another Python than the program's has its own torch, so this
steps aside.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys


def _stand_in() -> None:
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    del sys.modules["torch"]
    if os.environ.get("RUSHLIGHT_STANDS_IN") != sys.prefix:
        sys.path[:] = [p for p in sys.path if os.path.abspath(p) != folder]
        importlib.import_module("torch")
        return
    if importlib.util.find_spec("rushlight") is None:
        # The program had it on a path of its own, which its children do not inherit.
        sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(folder))))
    alias = importlib.import_module("rushlight.compat.alias")
    alias.install()


_stand_in()
