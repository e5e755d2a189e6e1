"""What holds for the sources of the core that no tool checks: lines, files and translation units stay small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[2] / "src" / "rushlight" / "core"
COLUMNS, FILE, UNIT = 120, 800, 1000
WRITTEN = {".pyx", ".pxd", ".pxi", ".pyi", ".c", ".h"}  # what ruff does not look at
MADE = {"_methods.pyi"}  # by tools/stubs.py
FILES = sorted(p for p in CORE.rglob("*") if p.suffix in WRITTEN and p.name not in MADE)


def unit(path: Path) -> int:
    """The lines of a Cython module, with those of the text that it includes."""
    text = path.read_text()
    return text.count("\n") + sum(unit(CORE / name) for name in re.findall(r'^include "(.+)"$', text, re.M))


def long_lines(text: str) -> list[int]:
    """The numbers of the lines that are too long."""
    return [n for n, line in enumerate(text.splitlines(), 1) if len(line) > COLUMNS]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(CORE)))
def test_lines_and_files_are_short(path: Path) -> None:
    text = path.read_text()
    assert not long_lines(text), f"lines over {COLUMNS} columns"
    assert text.count("\n") <= FILE


@pytest.mark.parametrize("path", [p for p in FILES if p.suffix == ".pyx"], ids=lambda p: p.name)
def test_units_are_small(path: Path) -> None:
    assert unit(path) <= UNIT


def test_the_checks_see_something() -> None:
    assert long_lines("x" * 120 + "\n" + "x" * 121 + "\n") == [2]
    assert len(FILES) > 60
    including = [p for p in FILES if p.suffix == ".pyx" and unit(p) > p.read_text().count("\n")]
    assert including, "no module includes text any more: `unit` and this assertion may go"
