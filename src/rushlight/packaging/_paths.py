"""Where the header and the library for programs in C are."""

from __future__ import annotations

from pathlib import Path

import rushlight

__all__ = ["flags", "include_dir", "library"]

_LIBRARY = "librushlight.a"


def include_dir() -> str:
    """The folder of `rushlight.h`, with which programs in C run packages.

    Returns:
        Its path.
    """
    return str(Path(rushlight.__file__).parent / "include")


def library() -> str:
    """The static library that programs in C link to run packages.

    Returns:
        Its path.

    Raises:
        FileNotFoundError: it was not built.
    """
    found = Path(rushlight.__file__).parent / "core" / _LIBRARY
    if not found.exists():
        raise FileNotFoundError(f"library(): {found} is not there: the core was not built with it (make build)")
    return str(found)


def flags(compile: bool, link: bool) -> list[str]:
    """The options for a C compiler to compile a program, and to link one.

    The program finds OpenBLAS, which some models need, where this Python has it.
    """
    found = [f"-I{include_dir()}"] if compile else []
    if link:
        found += [library(), "-lm", "-lpthread", "-ldl"]
        found += [f"-Wl,-rpath,{folder}" for folder in _folders_of_blas()]
    return found


def _folders_of_blas() -> list[str]:
    from rushlight.compiler.routines.products import blas_path

    try:
        return [str(Path(blas_path()).parent)]
    except ImportError:  # the program then says so when a model needs it
        return []
