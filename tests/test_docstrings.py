"""Docstrings have one form: Google's sections, each heading alone on its line, its entries indented below."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import rushlight
from rushlight.operators.table.define import TABLE

PACKAGE = Path(rushlight.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
MADE = {"_operators.pyi", "_methods.pyi"}  # by tools/stubs.py, of the operators' docstrings
CYTHON = sorted(
    p for ending in ("pyx", "pxi", "pxd", "pyi") for p in PACKAGE.rglob(f"*.{ending}") if p.name not in MADE
)

SECTION = re.compile(r"(Args|Returns|Yields|Raises|Source|Note|Example|Examples):$")
# What a section is begun with in another form: on the line of its text, behind a sentence, or under another name.
OTHER = re.compile(
    r"(?:^|(?<=[.;)] ))(Args|Arguments|Returns|Yields|Raises|Errors|Source): \S|^(Errors|Arguments|Parameters):$"
)
ENTRY = re.compile(r"    [*\w`.(][^:]*: \S")


def faults(doc: str) -> list[str]:
    """What is wrong with the sections of a docstring."""
    found, section, first = [], "", False
    for line in inspect.cleandoc(doc).splitlines():
        if SECTION.match(line):
            section, first = line, True
        elif OTHER.search(line):
            found.append(f"a section in another form: {line!r}")
        elif section and not line:
            section = ""
        elif section and not line.startswith("    "):
            found.append(f"{section} has a line that is not indented: {line!r}")
        elif section == "Args:" and first and not ENTRY.match(line):
            found.append(f"{section} begins with no entry: {line!r}")
        first = first and SECTION.match(line) is not None
    return found


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            doc = ast.get_docstring(node)
            if doc is not None:
                yield getattr(node, "lineno", 1), doc


@pytest.mark.parametrize("file", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_form(file: Path) -> None:
    found = [f"line {n}: {fault}" for n, doc in docstrings(ast.parse(file.read_text())) for fault in faults(doc)]
    assert found == []


# What documents a parameter outside of a section: `name: what it is` at the beginning of a line.
LOOSE = re.compile(r"[a-z_]+(?:, [a-z_]+)*: \S")


def cython_faults(text: str) -> list[str]:
    """What is wrong with the docstrings of Cython's files and of stubs, which `ast` does not read."""
    found = []
    for m in re.finditer(r'^ *"""(.*?)"""', text, re.M | re.S):
        wrong = faults(m[1])
        paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(m[1]))
        wrong += [f"a parameter outside of 'Args:': {p.splitlines()[0]!r}" for p in paragraphs[1:] if LOOSE.match(p)]
        found += [f"line {text.count(chr(10), 0, m.start()) + 1}: {fault}" for fault in wrong]
    return found


@pytest.mark.parametrize("file", CYTHON, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_form_in_cython(file: Path) -> None:
    assert cython_faults(file.read_text()) == []


def test_form_of_operators() -> None:
    """Those whose documentation is made of parts, too."""
    own = {name: op for name, op in TABLE.items() if getattr(op, "__module__", "") != "rushlight.nn.functional"}
    assert {name: faults(op.__doc__) for name, op in own.items() if op.__doc__ and faults(op.__doc__)} == {}


def test_the_check_itself() -> None:
    assert {p.suffix for p in CYTHON} == {".pyx", ".pxi", ".pxd", ".pyi"}
    assert cython_faults('def f(x):\n    """One.\n\n    Args:\n        x: a.\n    """\n') == []
    assert len(cython_faults('def f(x):\n    """One.\n\n    x: a.\n    """\n    """Two. Errors: b."""\n')) == 2
    assert faults("One.\n\nArgs:\n    x: a.\n        More.\n    y: b.\n\nReturns:\n    A tensor.") == []
    assert len(faults("One.\n\nArgs: x: a.\nReturns: b. Errors: c.")) == 2
    assert len(faults("One. Source: x.")) == 1
    assert len(faults("One.\n\nArgs:\n    whatever it takes\n\nErrors:\n    ValueError: for x.")) == 2
    assert len(faults("One.\n\nReturns:\nnothing.")) == 1
