"""On the path of a run on PyTorch: lets torchvision's wheel be imported beside PyTorch's build for the CPU.

The wheel's compiled operators are linked against the build for CUDA and do not load; its Python registers shapes for
them, which then fails at import. Nothing that the clients run calls those operators.
"""

from __future__ import annotations

import sys
from typing import Any


class _BeforeTorchvision:
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name == "torchvision":
            sys.meta_path.remove(self)  # type: ignore[arg-type]
            import torch

            torch.library.register_fake = lambda *args, **options: lambda fn: fn


sys.meta_path.insert(0, _BeforeTorchvision())  # type: ignore[arg-type]
