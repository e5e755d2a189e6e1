"""Sizes of what is written here: the length of lines and of files, and of what the C compiler reads at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "src" / "rushlight" / "core"
NATIVE = CORE / "native"
RUNTIME = CORE / "runtime"
INCLUDE = CORE.parent / "include"
WIDTH, FILE, UNIT = 120, 800, 1000
FOLDERS = ("src", "tests", "tools", "benchmarks", "examples", ".ci")
SUFFIXES = (".py", ".pyi", ".pyx", ".pxd", ".pxi", ".c", ".h", ".build", ".toml", "")
# A file of a unit is read in text, by name or by a macro that holds its name.
READ = re.compile(r'^\s*(?:#\s*include|#\s*define\s+\w+|include)\s+"([^"]+)"', re.M)


def sources() -> Iterator[Path]:
    """All that is written here and is no prose."""
    for path in ROOT.iterdir():
        if path.is_file() and path.suffix in (".build", ".toml") or path.name == "Makefile":
            yield path
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file() and "__pycache__" not in path.parts:
                yield path


def files_of(unit: Path) -> set[Path]:
    """A translation unit's own file and all that it reads in text, at any depth; the system's headers excepted."""
    found, left = set[Path](), [unit]
    while left:
        path = left.pop()
        if path in found:
            continue
        found.add(path)
        for name in READ.findall(path.read_text()):
            there = [
                folder / name for folder in (path.parent, CORE, NATIVE, RUNTIME, INCLUDE) if (folder / name).exists()
            ]
            assert there, f"{path.name} reads {name}, which is not there"
            left.append(there[0].resolve())
    return found


def lines_of(path: Path) -> int:
    return len(path.read_text().splitlines())


UNITS = [*sorted(NATIVE.glob("*.c")), *sorted(RUNTIME.glob("*.c")), *sorted(CORE.glob("*.pyx"))]


def long_lines(text: str) -> list[int]:
    """The numbers of the lines that are too long."""
    return [n for n, line in enumerate(text.split("\n"), 1) if len(line) > WIDTH]


def test_lines_are_short() -> None:
    assert long_lines("x" * 120 + "\n" + "x" * 121 + "\n") == [2]
    assert {str(path.relative_to(ROOT)): n for path in sources() if (n := long_lines(path.read_text()))} == {}


def test_files_are_short() -> None:
    """But for the stubs that `tools/stubs.py` makes, one per module."""
    made = {path for path in sources() if path.suffix == ".pyi" and "do not edit" in path.read_text()[:400]}
    long = {path.relative_to(ROOT).as_posix(): lines_of(path) for path in sources() if path not in made}
    assert {name: n for name, n in long.items() if n > FILE} == {}


@pytest.mark.parametrize("unit", UNITS, ids=lambda p: p.name)
def test_units_are_short(unit: Path) -> None:
    sizes = {path.name: lines_of(path) for path in files_of(unit)}
    assert sum(sizes.values()) <= UNIT, sizes


def test_every_file_is_in_a_unit() -> None:
    """A file that no unit reads would be counted nowhere, and compiled nowhere."""
    read = {path for unit in UNITS for path in files_of(unit)}
    pxds = "\n".join(p.read_text() for p in [*CORE.glob("*.pxd"), *UNITS])
    for path in [*NATIVE.glob("*.h"), *RUNTIME.glob("*.h"), *INCLUDE.glob("*.h"), *CORE.glob("*.pxi")]:
        assert path in read or f'"{path.name}"' in pxds, path.name


def test_what_is_read_is_found() -> None:
    """By a macro too: the families of linear algebra are read once per dtype."""
    names = {path.name for path in files_of(NATIVE / "lapack_spectral.c")}
    assert {"lapack_spectral.h", "lapack_small_svd.h", "lapack_typed.h", "lapack_dtypes.h", "lapack.h"} <= names
