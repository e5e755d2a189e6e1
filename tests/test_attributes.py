"""Attributes of the compiler's and the table's objects are born in `__init__`, or declared in the class: a reader finds
there all that an object has.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "rushlight"
FOLDERS = "compiler program prims transforms operators func packaging jit _dynamo inspection library export".split()
BEGIN = ("__init__", "__new__", "__post_init__", "__setstate__")


def bases_of(c: ast.ClassDef) -> list[str]:
    return [b.attr if isinstance(b, ast.Attribute) else getattr(b, "id", "") for b in c.bases]


def declared(c: ast.ClassDef) -> set[str]:
    """What a class's body names, properties and methods among it."""
    found = {s.name for s in c.body if isinstance(s, (ast.FunctionDef, ast.ClassDef))}
    for s in c.body:
        targets = s.targets if isinstance(s, ast.Assign) else [s.target] if isinstance(s, ast.AnnAssign) else []
        found |= {name.id for t in targets for name in ast.walk(t) if isinstance(name, ast.Name)}
    return found


def written(f: ast.FunctionDef) -> Iterator[ast.Attribute]:
    """The attributes of its first parameter that a method writes."""
    me = f.args.args[0].arg if f.args.args else ""
    for x in ast.walk(f):
        if isinstance(x, ast.Attribute) and isinstance(x.ctx, ast.Store) and getattr(x.value, "id", None) == me:
            yield x


def born_late(classes: dict[str, list[ast.ClassDef]], c: ast.ClassDef) -> list[str]:
    have: set[str] = set()
    waiting, seen = [c], set()
    while waiting:
        k = waiting.pop()
        have |= declared(k)
        have |= {x.attr for f in k.body if isinstance(f, ast.FunctionDef) and f.name in BEGIN for x in written(f)}
        news = [n for n in bases_of(k) if n not in seen]
        seen.update(news)
        waiting += [base for n in news for base in classes.get(n, [])]
    methods = [f for f in c.body if isinstance(f, ast.FunctionDef) and f.name not in BEGIN]
    return [f"{c.name}.{x.attr} in line {x.lineno}" for f in methods for x in written(f) if x.attr not in have]


def classes_in(tree: ast.Module) -> list[ast.ClassDef]:
    """Those of a module, within functions too."""
    found, waiting = [], list[ast.AST](tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.ClassDef):
            found.append(node)
        if isinstance(node, ast.stmt) and hasattr(node, "body"):
            waiting += node.body
    return found


def by_name(classes: Iterable[ast.ClassDef]) -> dict[str, list[ast.ClassDef]]:
    found: dict[str, list[ast.ClassDef]] = {}
    for c in classes:
        found.setdefault(c.name, []).append(c)
    return found


def test_attributes_are_born_in_init() -> None:
    paths = [p for folder in FOLDERS for p in sorted((SOURCE / folder).rglob("*.py")) if "pieces" not in p.parts]
    texts = {p: p.read_text() for p in (*paths, *sorted((SOURCE / "core").glob("*.pyi")))}
    classes = {p: classes_in(ast.parse(text)) for p, text in texts.items() if "class " in text}
    names = by_name(c for found in classes.values() for c in found)
    late = [
        f"{path.relative_to(SOURCE)}: {name}" for path in classes for c in classes[path] for name in born_late(names, c)
    ]
    assert not late, "\n".join(late)


CASE = """
class A:
    x: int
    def __init__(self): self.y = 1
class B(A):
    def f(self): self.x = self.y = self.z = 0
"""


def test_what_is_born_late_is_found() -> None:
    a, b = sorted(classes_in(ast.parse(CASE)), key=lambda c: c.name)
    assert born_late(by_name([a, b]), a) == []
    assert born_late(by_name([a, b]), b) == ["B.z in line 6"]
