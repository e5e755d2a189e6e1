"""Print the package's Python files, one per line: what a wheel installs beside the compiled modules."""

from __future__ import annotations

import sys
from pathlib import Path

_OTHERS = ("py.typed", "METADATA", "aten_schemas.txt", "options.txt")


def package_files(package: Path) -> list[str]:
    """The `.py`, `.pyi` and `py.typed` files, the tables of facts under `package`, the parts of pages, metadata, and
    the header for programs in C, sorted, as paths relative to it.
    """
    found = [p for p in package.rglob("*") if p.suffix in (".py", ".pyi", ".html", ".css", ".js") or p.name in _OTHERS]
    found += (package / "include").glob("*.h")
    return sorted(p.relative_to(package).as_posix() for p in found)


if __name__ == "__main__":
    print("\n".join(package_files(Path(sys.argv[1]))))
