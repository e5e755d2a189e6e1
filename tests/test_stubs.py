"""The stubs of the compiled modules say what the modules offer: the same public names, the same parameters."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rushlight
from rushlight.compat.places import NAMESPACES

CORE = Path(rushlight.__file__).parent / "core"
MODULES = sorted(rushlight.core.COMPILED)
# What a type checker must know, though it is no attribute of the compiled class.
SAID_ONLY = {"Tensor.__getattr__", "Tensor.__buffer__", "Storage.__buffer__", "Operator.functional"}
COMPILED = {"cython_function_or_method", "getset_descriptor", "member_descriptor"}


def stub_names(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef | None]]:
    """Every name that a stub gives, with its definition when it is a function."""
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield prefix + node.name, node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield prefix + node.target.id, None
        elif isinstance(node, ast.ClassDef):
            yield prefix + node.name, None
            yield from stub_names(node.body, f"{node.name}.")


def read(name: str) -> list[tuple[str, ast.FunctionDef | None]]:
    return list(stub_names(ast.parse((CORE / f"{name}.pyi").read_text()).body))


def attribute(module: Any, path: str) -> Any:
    for part in path.split("."):
        module = getattr(module, part)
    return module


def own(module: Any) -> Iterator[str]:
    """The public classes and functions that a compiled module defines, and the public attributes of its classes."""
    for name, value in vars(module).items():
        if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
            continue
        yield name
        # What the operator table attaches to Tensor is not the core's.
        yield from (
            f"{name}.{a}"
            for a, v in (vars(value).items() if isinstance(value, type) else ())
            if not a.startswith("_") and type(v).__name__ in COMPILED and not hasattr(v, "fget")
        )


@pytest.mark.parametrize("name", MODULES)
def test_every_name_of_the_stub_exists(name: str) -> None:
    module = importlib.import_module(f"rushlight.core.{name}")
    for path, _ in read(name):
        if path not in SAID_ONLY:
            attribute(module, path)


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_is_in_the_stub(name: str) -> None:
    module = importlib.import_module(f"rushlight.core.{name}")
    known = {path for path, _ in read(name)}
    hidden = {"Entry"}  # of the call cache, for the core alone
    assert [path for path in own(module) if path not in known and path.split(".")[0] not in hidden] == []


@pytest.mark.parametrize("name", MODULES)
def test_parameters_have_the_same_names(name: str) -> None:
    module = importlib.import_module(f"rushlight.core.{name}")
    checked = 0
    for path, node in read(name):
        if node is None or path in SAID_ONLY or node.name.startswith("__") or node.decorator_list:
            continue
        found = attribute(module, path)
        expected = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        assert [
            p for p, q in inspect.signature(found).parameters.items() if q.kind not in (q.VAR_POSITIONAL, q.VAR_KEYWORD)
        ] == expected, path
        checked += 1
    functions = [path for path in own(module) if not isinstance(attribute(module, path), type)]
    assert checked or not any(callable(attribute(module, path)) for path in functions)


@pytest.mark.parametrize("namespace", sorted(NAMESPACES))
def test_names_put_into_a_namespace_are_in_its_stub(namespace: str) -> None:
    """Also where rushlight has a module of that name, which does not hold them itself."""
    stub = CORE.parent.joinpath("compat", "stubs", *namespace.split("."), "__init__.pyi").read_text()
    known: set[str] = set()
    for node in ast.walk(ast.parse(stub)):
        if isinstance(node, ast.ImportFrom):
            known.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            known.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            known.add(node.id)
    assert [name for names in NAMESPACES[namespace].values() for name in names.split() if name not in known] == []
