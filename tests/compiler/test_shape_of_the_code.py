"""How the compiler is written: nobody writes the attributes of other objects. (That objects get all of theirs in
`__init__` is in tests/test_wording.py.)
"""

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
def test_nobody_writes_the_attributes_of_others(file: Path) -> None:
    assert foreign(ast.parse(file.read_text())) == []


def test_the_check_sees_what_it_is_for() -> None:
    tree = ast.parse(
        "class A:\n def __init__(self):\n  self.x = 1\n def f(self, other):\n"
        "  self.x = 2\n  self.y = 3\n  other.z += 4\n  a, other.w[0].v = 5, 6\n  b = A()\n  b.x = 7\n"
    )
    assert foreign(tree) == ["other.w[0].v in line 8", "other.z in line 7"]
