"""How the compiler is written: objects get all their attributes in `__init__`, and nobody else writes them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import rushlight

FOLDERS = [Path(rushlight.__file__).parent / name for name in ("compiler", "program", "transforms")]
FILES = sorted(file for folder in FOLDERS for file in folder.rglob("*.py"))


def written(node: ast.AST) -> Iterator[ast.Attribute]:
    """The attributes that statements assign to."""
    for n in ast.walk(node):
        targets: list[ast.expr] = []
        if isinstance(n, ast.Assign):
            targets = n.targets
        elif isinstance(n, (ast.AugAssign, ast.AnnAssign)):
            targets = [n.target]
        elif isinstance(n, ast.Delete):
            targets = n.targets
        for t in targets:
            for part in ast.walk(t):
                if isinstance(part, ast.Attribute) and isinstance(part.ctx, (ast.Store, ast.Del)):
                    yield part


def of_self(a: ast.Attribute) -> bool:
    return isinstance(a.value, ast.Name) and a.value.id == "self"


def born(cls: ast.ClassDef) -> set[str]:
    """What a class has from the beginning: its own names, its slots' and what `__init__` (or `__new__`) assigns."""
    names = {t.id for s in cls.body if isinstance(s, ast.Assign) for t in s.targets if isinstance(t, ast.Name)}
    names |= {s.target.id for s in cls.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)}
    for f in cls.body:
        if isinstance(f, ast.FunctionDef) and f.name in ("__init__", "__new__"):
            names |= {a.attr for a in written(f) if of_self(a)}
    return names


def late(tree: ast.Module) -> list[str]:
    """Attributes that methods give to `self` after `__init__`, of a class whose bases are in the same file or have
    them too.
    """
    classes = {c.name: c for c in ast.walk(tree) if isinstance(c, ast.ClassDef)}

    def has(cls: ast.ClassDef) -> set[str]:
        bases = [classes[b.id] for b in cls.bases if isinstance(b, ast.Name) and b.id in classes]
        return born(cls).union(*map(has, bases))

    return [
        f"{cls.name}.{a.attr} in line {a.lineno}"
        for cls in classes.values()
        for f in cls.body
        if isinstance(f, ast.FunctionDef)
        for a in written(f)
        if of_self(a) and a.attr not in has(cls)
    ]


def foreign(tree: ast.Module) -> list[str]:
    """Attributes that are written of anything but `self`, or of an object that the same function has just made."""
    found = []
    for f in ast.walk(tree):
        if not isinstance(f, ast.FunctionDef):
            continue
        made = {
            t.id
            for n in ast.walk(f)
            if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call)
            for t in n.targets
            if isinstance(t, ast.Name)
        }
        for a in written(f):
            mine = of_self(a) or isinstance(a.value, ast.Name) and a.value.id in made
            if not mine:
                found.append(f"{ast.unparse(a)} in line {a.lineno}")
    return sorted(set(found))


def id_of(file: Path) -> str:
    return str(file.relative_to(FOLDERS[0].parent))


@pytest.mark.parametrize("file", FILES, ids=id_of)
def test_attributes_are_born_in_init(file: Path) -> None:
    assert late(ast.parse(file.read_text())) == []


@pytest.mark.parametrize("file", FILES, ids=id_of)
def test_nobody_writes_the_attributes_of_others(file: Path) -> None:
    assert foreign(ast.parse(file.read_text())) == []


def test_the_checks_see_what_they_are_for() -> None:
    tree = ast.parse(
        "class A:\n def __init__(self):\n  self.x = 1\n def f(self, other):\n"
        "  self.x = 2\n  self.y = 3\n  other.z += 4\n  a, other.w[0].v = 5, 6\n  b = A()\n  b.x = 7\n"
    )
    assert late(tree) == ["A.y in line 6"]
    assert foreign(tree) == ["other.w[0].v in line 8", "other.z in line 7"]
