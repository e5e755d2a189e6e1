"""`torch.classes`: classes that compiled extensions of PyTorch define. None can be loaded here, and naming one says
so.
"""

from __future__ import annotations

from typing import Any, NoReturn

from rushlight.core.naming import made_by_name

__all__: list[str] = []
loaded_libraries: set[str] = set()


def load_library(path: str) -> NoReturn:
    """Refused: OSError, since a compiled library of PyTorch classes is linked against PyTorch."""
    raise OSError(f"torch.classes.load_library(): {path!r} is compiled for PyTorch's own library, which is not there")


class _ClassNamespace:
    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        raise RuntimeError(
            f"torch.classes: there is no class '{self.name}.{attribute}'; compiled extensions of PyTorch cannot be "
            "loaded"
        )


__getattr__ = made_by_name("torch.classes", _ClassNamespace)
