"""Names of torch that installed packages mention, PyTorch has and rushlight lacks: what stops a program at its import,
found before it runs.

    python tests/clients/names.py FOLDER [PACKAGE ...]     # the folder of `make programs`, build/clients; needs
    PyTorch, as `make parity` does

A name is a module that is imported, a name that is imported of one, or a chain of attributes of one. Most used first.
"""

from __future__ import annotations

import ast
import collections
import importlib
import json
import subprocess
import sys
import warnings
from pathlib import Path

ROOTS = ("torch", "functorch")


def mentioned(path: Path) -> set[str]:
    """The names that a file mentions."""
    try:
        tree = ast.parse(path.read_text(errors="replace"))
    except SyntaxError:  # a template, or Python of another version
        return set()
    found: set[str] = set()
    bound: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] in ROOTS:
                    found.add(alias.name)
                    root = alias.name.split(".")[0]
                    bound[alias.asname or root] = alias.name if alias.asname else root
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module and node.module.split(".")[0] in ROOTS:
            for alias in node.names:
                name = node.module if alias.name == "*" else f"{node.module}.{alias.name}"
                found.add(name)
                bound[alias.asname or alias.name] = name
    for node in ast.walk(tree):
        parts: list[str] = []
        inner: ast.AST = node
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        if parts and isinstance(inner, ast.Name) and inner.id in bound:
            found.add(".".join([bound[inner.id], *reversed(parts)]))
    return found


def has(name: str) -> bool:
    """Whether the torch that this process imports has it."""
    first, *rest = name.split(".")
    try:
        here = importlib.import_module(first)
        for i, part in enumerate(rest, 1):
            here = getattr(here, part) if hasattr(here, part) else importlib.import_module(".".join([first, *rest[:i]]))
    except Exception:  # whatever an import or a lazy attribute raises, the name cannot be used
        return False
    return True


def answers(launcher: list[str], names: list[str]) -> list[bool]:
    """What `has` says in a process of its own."""
    run = subprocess.run(
        [sys.executable, *launcher, __file__, "--ask"],
        input=json.dumps(names),
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[bool] = json.loads(run.stdout.splitlines()[-1])
    return found


def main() -> int:
    if sys.argv[1:] == ["--ask"]:
        warnings.simplefilter("ignore")
        print(json.dumps([has(name) for name in json.load(sys.stdin)]))
        return 0
    folder = Path(sys.argv[1])
    users: collections.Counter[str] = collections.Counter()
    for package in [folder / p for p in sys.argv[2:]] or [p for p in folder.iterdir() if p.is_dir()]:
        for path in package.rglob("*.py"):
            users.update(mentioned(path))
    names = sorted(users)
    lacking = [
        name
        for name, there, here in zip(names, answers([], names), answers(["-m", "rushlight"], names), strict=True)
        if there and not here
    ]
    first = [name for name in lacking if name.rpartition(".")[0] not in lacking]
    for name in sorted(first, key=lambda n: -users[n]):
        print(f"{users[name]:4} {name}")
    print(f"{len(names)} names, {len(lacking)} lacking")
    return 0


if __name__ == "__main__":
    sys.exit(main())
