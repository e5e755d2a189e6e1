"""Errors use one wording, what must be and what was found; attributes of our classes are there from the start."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "rushlight"
FOLDERS = ("autograd", "compiler", "core", "distributions", "fx", "func", "library", "operators", "optim", "prims")
FILES = sorted(
    p
    for folder in (*FOLDERS, "program", "transforms")
    for p in (SOURCE / folder).rglob("*.py")
    if "samples" not in p.parts
)
# Texts that programs know from PyTorch, or from Python.
KNOWN = (
    "Bias must be size", "expected sequence of length", "new() got an unexpected", "got an unexpected keyword argument",
    "but got",
)  # fmt: skip


def messages(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The texts of errors and of checks, with their lines."""
    for n in ast.walk(tree):
        name = getattr(n.func, "id", getattr(n.func, "attr", "")) if isinstance(n, ast.Call) else ""
        if isinstance(n, ast.Raise) or name == "check":
            parts = [c.value for c in ast.walk(n) if isinstance(c, ast.Constant) and isinstance(c.value, str)]
            yield n.lineno, "{}".join(parts)


def other_wording(source: str) -> list[str]:
    """The messages that say what was got."""
    return [
        f"line {line}: {text}"
        for line, text in messages(ast.parse(source))
        if re.search(r"\bgot\b", text) and not any(k in text for k in KNOWN)
    ]


def born_late(source: str) -> list[str]:
    """The attributes that a class without bases sets on itself in other methods than `__init__` alone."""
    found = []
    for cls in (n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.ClassDef) and not n.bases):
        known, late = set(), {}
        for item in cls.body:
            if isinstance(item, (ast.AnnAssign, ast.Assign)):
                known |= {n.id for n in ast.walk(item) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
                known |= {n.value for n in ast.walk(item) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
            if not isinstance(item, ast.FunctionDef):
                continue
            known |= {item.name} if item.decorator_list else set()  # a property
            for n in ast.walk(item):
                if (
                    isinstance(n, ast.Attribute)
                    and isinstance(n.ctx, ast.Store)
                    and getattr(n.value, "id", "") == "self"
                ):
                    if item.name in ("__init__", "__new__", "__post_init__"):
                        known.add(n.attr)
                    else:
                        late.setdefault(n.attr, item.name)
        found += [f"{cls.name}.{name}, in {where}" for name, where in late.items() if name not in known]
    return found


def test_the_finders_find() -> None:
    assert other_wording("raise ValueError(f'f(): expected 2, got {n}')")
    assert not other_wording("raise ValueError(f'f(): expected 2; found {n}')")
    assert born_late("class A:\n def __init__(self): self.x = 1\n def f(self): self.y = 2") == ["A.y, in f"]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_file(path: Path) -> None:
    source = path.read_text()
    assert not other_wording(source), "errors say what was found: 'must be 1 or 2; found 3'"
    assert not born_late(source), "attributes are made in __init__, or named in the class"
