"""`python -m rushlight --stubs FOLDER`: what type checkers need to know `import torch` as rushlight, laid where they
look.

A copy, for mypy refuses to be pointed into the folder that packages are installed in. The stubs are made by
tools/stubs.py.
"""

from __future__ import annotations

import shutil
from pathlib import Path

__all__ = ["write_stubs"]

_STUBS = Path(__file__).parent / "stubs"


def write_stubs(folder: str) -> Path:
    """Copy the stubs of `torch` and `functorch` into a folder, in the place of an earlier copy; returns its path.

    Raises:
        FileExistsError: another `torch` lies there.
    """
    into = Path(folder).resolve()
    packages = sorted(p for p in _STUBS.iterdir() if p.is_dir())
    mark = (_STUBS / "torch" / "__init__.pyi").read_text().splitlines()[0]
    for package in packages:
        there = into / package.name
        first = there / "__init__.pyi"
        if there.exists() and not (first.exists() and first.read_text().startswith(mark)):
            raise FileExistsError(f"{there} is there already, and is none of rushlight's stubs; name another folder")
    for package in packages:
        shutil.rmtree(into / package.name, ignore_errors=True)
        shutil.copytree(package, into / package.name)
    return into
