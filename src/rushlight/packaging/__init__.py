"""Models as files that run where there is no compiler: `rushlight.package` writes them, `rushlight.load_package` runs
them. docs/design/package.md says how.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rushlight.packaging._errors import PackageError

if TYPE_CHECKING:
    from rushlight.packaging._load import Package, load_package
    from rushlight.packaging._paths import include_dir, library
    from rushlight.packaging._write import package

__all__ = ["Package", "PackageError", "include_dir", "library", "load_package", "package"]

_FILES = {
    "Package": "_load",
    "include_dir": "_paths",
    "library": "_paths",
    "load_package": "_load",
    "package": "_write",
}


def __getattr__(name: str) -> Any:
    """Who loads a package loads nothing of what makes one."""
    if name not in _FILES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(f"{__name__}.{_FILES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_FILES})
