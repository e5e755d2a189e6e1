"""Errors use one wording, what must be and what was found; attributes of our classes are there from the start; prose
has none of the idioms that a reader must read twice.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "rushlight"
FILES = sorted(p for p in SOURCE.rglob("*.py") if "samples" not in p.parts)
COMPILED_FILES = sorted(p for kind in ("*.pyx", "*.pxi") for p in SOURCE.rglob(kind))
# Texts that programs know from PyTorch, or from Python.
KNOWN = (
    "Bias must be size", "expected sequence of length", "new() got an unexpected", "got an unexpected keyword argument",
    "but got", "invalid hash value", "invalid tensor size at index", "invalid tensor type at index", "list size",
    "First: got", "should be 1 or 3, got: ", "must be an instance of", "Expecting `args` to be", "but actually got",
    "got multiple values",
)  # fmt: skip


ROOT = SOURCE.parent.parent
KINDS = (".py", ".pyx", ".pxd", ".pxi", ".pyi", ".c", ".h", ".md")
PROSE = sorted(
    p
    for folder in (SOURCE, ROOT / "docs", ROOT / "tests", ROOT / "tools", ROOT / "examples")
    for p in folder.rglob("*")
    if p.suffix in KINDS and p != Path(__file__).resolve()
) + sorted(ROOT.glob("*.md"))
# Where a reader stops: of what each says, there is a plain word ("and the like", "usual", "takes part in", "notes").
IDIOMS = re.compile(
    r"\b(as ever|and (?:its|their) like|(?:its|their) kin|ha(?:s|ve) a say|tak(?:e|es|ing) note of"
    r"|(?:is|are) told(?! apart))\b"
)


def idioms(text: str) -> list[str]:
    """The lines of a file with one of the idioms."""
    return [f"line {n}: {line.strip()}" for n, line in enumerate(text.splitlines(), 1) if IDIOMS.search(line)]


def messages(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The texts of errors and of checks, with their lines."""
    for n in ast.walk(tree):
        name = getattr(n.func, "id", getattr(n.func, "attr", "")) if isinstance(n, ast.Call) else ""
        if isinstance(n, ast.Raise) or name in ("check", "check_that", "check_argument"):
            parts = [c.value for c in ast.walk(n) if isinstance(c, ast.Constant) and isinstance(c.value, str)]
            yield n.lineno, "{}".join(parts)


def other_wording(source: str) -> list[str]:
    """The messages that say what was got."""
    return [
        f"line {line}: {text}"
        for line, text in messages(ast.parse(source))
        if re.search(r"\bgot\b", text) and not any(k in text for k in KNOWN)
    ]


def other_wording_in_cython(source: str) -> list[str]:
    """The same of Cython, which Python does not parse: lines with such a text between quotes."""
    return [
        f"line {n}: {line.strip()}"
        for n, line in enumerate(source.splitlines(), 1)
        if re.search(r"[\"'][^\"']*\bgot\b[^\"']*[\"']", line) and not any(k in line for k in KNOWN)
    ]


CLASSES: dict[str, list[ast.ClassDef]] = {}
for _file in sorted(SOURCE.rglob("*.py")):
    for _class in (n for n in ast.walk(ast.parse(_file.read_text())) if isinstance(n, ast.ClassDef)):
        CLASSES.setdefault(_class.name, []).append(_class)
COMPILED = {name for p in (SOURCE / "core").glob("*.pyi") for name in re.findall(r"^class (\w+)", p.read_text(), re.M)}
OF_PYTHON = {*dir(builtins), "ABC", "Enum", "Generic", "IntEnum", "NamedTuple", "Protocol"}
BEGINNINGS = ("__init__", "__new__", "__post_init__")


def written(method: ast.AST) -> list[ast.Attribute]:
    """The attributes of `self` that statements assign to."""
    return [
        n
        for n in ast.walk(method)
        if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) and getattr(n.value, "id", "") == "self"
    ]


def born(cls: ast.ClassDef) -> set[str]:
    """What a class has from the beginning: its own names, its slots' and what `__init__` assigns."""
    names: set[str] = set()
    for item in cls.body:
        if isinstance(item, (ast.AnnAssign, ast.Assign)):
            names |= {n.id for n in ast.walk(item) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            names |= {n.value for n in ast.walk(item) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
        elif isinstance(item, ast.FunctionDef):
            names |= {item.name} if item.decorator_list else set()  # a property
            names |= {a.attr for a in written(item)} if item.name in BEGINNINGS else set()
    return names


def inherited(cls: ast.ClassDef, classes: dict[str, list[ast.ClassDef]]) -> set[str] | None:
    """What a class and its bases have from the beginning; None where a base is of another package, or compiled."""
    names = born(cls)
    for base in cls.bases:
        base = base.value if isinstance(base, ast.Subscript) else base
        name = getattr(base, "id", getattr(base, "attr", ""))
        if name in COMPILED or name not in classes and name not in OF_PYTHON:
            return None
        for known in classes.get(name, ()):
            more = inherited(known, classes) if known is not cls else set()
            if more is None:
                return None
            names |= more
    return names


def born_late(source: str) -> list[str]:
    """The attributes that a class sets on itself in other methods than `__init__` alone."""
    tree = ast.parse(source)
    own = {c.name: [c] for c in ast.walk(tree) if isinstance(c, ast.ClassDef)}
    found = []
    for (cls,) in own.values():
        names = inherited(cls, CLASSES | own)
        found += [
            f"{cls.name}.{a.attr}, in {f.name}"
            for f in cls.body
            if names is not None and isinstance(f, ast.FunctionDef)
            for a in written(f)
            if a.attr not in names
        ]
    return found


def test_the_finders_find() -> None:
    assert other_wording("raise ValueError(f'f(): expected 2, got {n}')")
    assert not other_wording("raise ValueError(f'f(): expected 2; found {n}')")
    assert other_wording_in_cython(' raise ValueError(f"f(): expected 2, got {n}")')
    assert not other_wording_in_cython(' raise ValueError(f"f(): expected 2; found {n}")  # what was got')
    assert idioms("relu and its like\nrelu and the like") == ["line 1: relu and its like"]
    first = "class A:\n def __init__(self): self.x = 1\n def f(self): self.y = 2\n"
    assert born_late(first) == ["A.y, in f"]
    assert born_late(first + "class B(A):\n def g(self): self.x, self.z = 2, 3") == ["A.y, in f", "B.z, in g"]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_file(path: Path) -> None:
    source = path.read_text()
    assert not other_wording(source), "errors say what was found: 'must be 1 or 2; found 3'"
    assert not born_late(source), "attributes are made in __init__, or named in the class"


@pytest.mark.parametrize("path", COMPILED_FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_compiled_file(path: Path) -> None:
    assert not other_wording_in_cython(path.read_text()), "errors say what was found: 'must be 1 or 2; found 3'"


def test_prose_has_plain_words() -> None:
    found = {str(p.relative_to(ROOT)): lines for p in PROSE if (lines := idioms(p.read_text(errors="replace")))}
    assert not found, found
