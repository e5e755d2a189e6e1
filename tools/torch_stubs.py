"""Write the stubs by which type checkers know `import torch` as rushlight: a folder `torch` for `mypy_path`, beside no
real one.

A stub has no definitions: it imports every public name from the module of rushlight's that defines it, so that
`torch.Tensor` and `rushlight.Tensor` are one class to a checker too, and says so explicitly, as strict settings ask.
What is made while the program runs, and so is in no source, is described by its value, in the words of
compat/_made.pyi. tools/stubs.py calls this.
"""

from __future__ import annotations

import ast
import functools
import importlib
import pkgutil
import re
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rushlight
from rushlight.compat import identity
from rushlight.compat.places import NAMESPACES, OWN
from rushlight.core.dispatch import Operator
from rushlight.core.named import Named
from rushlight.operators.table.define import FUNCTIONS, TABLE

PACKAGE = Path(rushlight.__file__).parent
FOLDER = PACKAGE / "compat" / "stubs"
# Modules with an underscore that programs import all the same; the others are rushlight's own.
_ENTERED = (
    "_C",
    "_custom_ops",
    "_dynamo",
    "_logging",
    "_tensor",
    "_utils",
    "_vmap_internals",
    "_pytree",
    "_python_dispatch",
)
# Modules that need a package which may not be installed: their sources alone are read.
_WITH_OTHERS = ("rushlight.utils.tensorboard",)
# Modules whose private functions programs import too.
_WITH_HELPERS = ("rushlight.nn.modules.utils", "rushlight.optim.optimizer")
# Modules of the core whose classes are torch's wherever they are seen.
_CORE = ("rushlight.core.tensor", "rushlight.core.storage", "rushlight.core.devices", "rushlight.core.dtypes")
_HEAD = "# Made by `python tools/stubs.py`; do not edit.\n# ruff: noqa\n"
# torch.bool is a dtype
_PLAIN = {bool: "builtins.bool", int: "builtins.int", float: "builtins.float", str: "builtins.str"}
# What descriptions use, and where it comes from, there without the underscore.
_USED = {
    "Any": "typing",
    "_Tensor": "rushlight.core.tensor",
    **dict.fromkeys(("_dtype", "_layout"), "rushlight.core.dtypes"),
    "_Operator": "rushlight.core.dispatch",
    **dict.fromkeys(("_Made", "_Function"), "rushlight.compat._made"),
}
_MADE = (
    f"{_HEAD}from collections.abc import Callable\nfrom typing import Any, TypeAlias\n\n"
    "Function: TypeAlias = Callable[..., Any]\n\nclass Made:\n"
    '    """A class that is made while the program runs: a checker knows no more of it than its name."""\n'
    "    def __init__(self, *args: Any, **kwargs: Any) -> None: ...\n"
    "    def __getattr__(self, name: str, /) -> Any: ...\n"
)


# ----------------------------------------------------------------------------------------------------- what sources say
def source_of(module: str) -> Path | None:
    """The file that a type checker reads for a module: the stub before the source."""
    path = PACKAGE.joinpath(*module.split(".")[1:])
    for found in (path / "__init__.pyi", path / "__init__.py", path.with_suffix(".pyi"), path.with_suffix(".py")):
        if found.exists():
            return found
    return None


@functools.cache
def bindings(module: str) -> dict[str, ast.stmt]:
    """The statement that binds each name of a module, as a type checker sees it."""
    path = source_of(module)
    found: dict[str, ast.stmt] = {}
    if path is None:
        return found
    waiting = list(ast.parse(path.read_text()).body)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.If):
            only = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
            waiting[:0] = node.body + ([] if only else node.orelse)
        elif isinstance(node, ast.Try):
            waiting[:0] = node.body
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    for name in bindings(imported(module, node)):
                        if not name.startswith("_"):
                            found.setdefault(name, node)
                else:
                    found[alias.asname or alias.name] = node
        elif isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.partition(".")[0]] = node
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                for part in target.elts if isinstance(target, ast.Tuple) else [target]:
                    if isinstance(part, ast.Name):
                        found[part.id] = node
    return found


def imported(module: str, node: ast.ImportFrom) -> str:
    """The module that a `from ... import` of `module` names."""
    if not node.level:
        return node.module or ""
    path = source_of(module)
    assert path is not None
    parts = module.split(".")
    parts = parts[: len(parts) - node.level + (path.stem == "__init__")]
    return ".".join(parts + ([node.module] if node.module else []))


def origin(module: str, name: str, *seen: str) -> tuple[str, str, ast.stmt | None] | None:
    """Where a name is defined: module, name there and the statement, None for a module; None if no source says it.

    A name from outside of the package has the outside module for its origin."""
    node = bindings(module).get(name)
    if node is None:
        return (f"{module}.{name}", "", None) if source_of(f"{module}.{name}") else None
    if isinstance(node, ast.Import):
        alias = next(a for a in node.names if (a.asname or a.name.partition(".")[0]) == name)
        return (alias.name if alias.asname else name), "", None
    if isinstance(node, ast.ImportFrom):
        source = imported(module, node)
        alias = next((a for a in node.names if (a.asname or a.name) == name), None)
        there = alias.name if alias is not None else name
        if source.partition(".")[0] != "rushlight":
            return source, there, node
        if f"{source}.{there}" in seen or there not in bindings(source):  # a package that imports its own module
            found = next((m for m in (f"{source}.{there}", *seen) if source_of(m)), None)
            return found and (found, "", None)
        return origin(source, there, *seen, f"{source}.{there}")
    return module, name, node


# ----------------------------------------------------------------------------------------------------- what a stub says
def torch_name(module: str) -> str:
    """PyTorch's name for a module of rushlight's."""
    return identity.swapped(module, "rushlight", "torch")


def entered(module: str) -> bool:
    """Whether programs enter a module under torch's name."""
    parts = module.split(".")[1:]
    return (
        identity.is_public(module)
        and parts[-1:] != ["__main__"]
        and not OWN.intersection(parts[:1])
        and all(not p.startswith("_") or p in _ENTERED or p.endswith("__") for p in parts)
    )


@functools.cache
def modules() -> tuple[str, ...]:
    """The modules that have a stub."""
    walked = (m.name for m in pkgutil.walk_packages(rushlight.__path__, "rushlight."))
    return ("rushlight", *sorted(m for m in walked if entered(m)))


# What a function made, by identity: the stub that describes it, its name there, and the object (which keeps the
# identity).
_homes: dict[int, tuple[str, str, Any]] = {}


def described_in(module: str, name: str, value: Any) -> str:
    """The export from the stub that describes a value already; "" where this stub is the one to describe it."""
    home = _homes.setdefault(id(value), (torch_name(module), name, value))
    return "" if home[:2] == (torch_name(module), name) else exported(home[0], home[1], name)


def exported(module: str, there: str, name: str) -> str:
    """A name of another module, as an export of the stub: to a checker an import is one only under the name that it has
    there.
    """
    return (
        f"from {module} import {there} as {name}"
        if there == name
        else f"from {module} import {there} as _of_{name}\n{name} = _of_{name}"
    )


def line(module: str, name: str, value: Any, put: bool = False) -> str:
    """What a stub says of a name: an import, or a description; "" for what is not torch's, unless a table has put it
    there.
    """
    op = value.op if isinstance(value, Named) else value
    where = origin(module, name)
    if isinstance(op, Operator) and (where is None or not isinstance(where[2], ast.FunctionDef)):
        for key in (f"{'.'.join(module.split('.')[1:])}.{name}".lstrip("."), *TABLE):
            held = TABLE.get(key)
            if (held.op if isinstance(held, Named) else held) is op:
                space, _, last = key.rpartition(".")
                place = f"rushlight.{space}".rstrip(".")
                stub = (
                    f"{place}._operators"
                    if source_of(f"{place}._operators")
                    else f"{place.rpartition('.')[0]}._{place.rpartition('.')[2]}_operators"
                )
                if last in bindings(stub):
                    return exported(stub, last, name)
    if where is not None and where[2] is None:  # a module
        if where[0] in modules() and where[0] != "rushlight":
            return exported(torch_name(where[0]).rpartition(".")[0], where[0].rpartition(".")[2], name)
        return ""
    made_class = isinstance(value, type) and (where is None or isinstance(where[2], (ast.Assign, ast.AnnAssign)))
    if made_class and value.__module__.partition(".")[0] in ("rushlight", "torch"):
        defined = value.__module__, value.__qualname__
        if isinstance(bindings(defined[0]).get(defined[1]), ast.ClassDef):
            return exported(defined[0], defined[1], name)
        if elsewhere := described_in(module, name, value):
            return elsewhere
        return f"class {name}(_Made{', _Tensor' * name.endswith('Tensor')}): ..."
    if where is not None:
        inner = where[0] not in _CORE and not identity.is_public(where[0]) and module != "rushlight"
        if where[0].partition(".")[0] != "rushlight" or (inner and not put and name not in said_public(module)):
            return ""
        return exported(where[0], where[1], name)
    if isinstance(value, types.ModuleType):
        own = identity.swapped(value.__name__, "torch", "rushlight")
        return (
            exported(torch_name(own).rpartition(".")[0], own.rpartition(".")[2], name)
            if own in modules() and own != "rushlight"
            else ""
        )
    if isinstance(value, types.FunctionType) and isinstance(
        bindings(value.__module__).get(value.__qualname__), ast.FunctionDef
    ):
        return exported(value.__module__, value.__qualname__, name)
    kind = type(value)
    if kind.__module__ == "typing" or kind.__module__ == "types" and not callable(value):
        return ""
    if callable(value) and module in modules() and (elsewhere := described_in(module, name, value)):
        return elsewhere
    described = f"_{kind.__name__}"
    if described in _USED:
        return f"{name}: {described}"
    return f"{name}: {_PLAIN.get(kind, '_Function' if callable(value) else 'Any')}"


@functools.cache
def said_public(module: str) -> frozenset[str]:
    """`__all__` of a module."""
    return frozenset(() if module in _WITH_OTHERS else getattr(importlib.import_module(module), "__all__", ()))


def names_of(module: str, found: Any) -> Iterator[tuple[str, Any]]:
    """The names of a module that a stub may say, with their values."""
    said = bindings(module)
    for name in sorted(
        {*(dir(found) if found else ()), *said, *said_public(module), *(["torch"] if module == "rushlight" else [])}
    ):
        if (
            name.startswith("__")
            and name != "__version__"
            or not name.isidentifier()
            or module == "rushlight"
            and name in OWN
        ):
            continue
        if (
            name.startswith("_")
            and name != "__version__"
            and not (
                name in FUNCTIONS or name in TABLE
                if module == "rushlight"
                else "._" in module
                or isinstance(getattr(found, name, None), type)
                or module in _WITH_HELPERS
                and isinstance(said.get(name), ast.FunctionDef)
            )
        ):
            continue
        if found is None:
            yield name, None
        elif hasattr(found, name):  # else it is for type checkers alone
            yield name, getattr(found, name)


def text_of(lines: list[str]) -> str:
    """A stub of some lines, with the imports that they need.

    An import has a line of its own for each name, so that two branches which add names merge."""
    imports, rest = set(), []
    for text in dict.fromkeys(lines):
        first, _, more = text.partition("\n")
        if first.startswith("from "):
            imports.add(first)
            rest += [more] if more else []
        else:
            rest.append(text)
    body = "\n".join(rest)
    for used, source in _USED.items():
        if re.search(rf"(: |[(,\\[] ?|-> ){used}\b", body):  # not as the name that is described
            imports.add(f"from {source} import {used.lstrip('_')}" + f" as {used}" * used.startswith("_"))
    head = "import builtins\n" * ("builtins." in body) + "".join(f"{text}\n" for text in sorted(imports))
    return _HEAD + head + (("\n" + body + "\n") if body else "")


def stub_lines(module: str) -> list[str]:
    """What the stub of a module says."""
    found = None if module in _WITH_OTHERS else importlib.import_module(module)
    return [said for name, value in names_of(module, found) if (said := line(module, name, value))]


def stub_path(torch_module: str) -> Path:
    """The file of a stub; every one is a package, so that what lies below has a place."""
    return FOLDER.joinpath(*torch_module.split("."), "__init__.pyi")


def torch_files() -> Iterator[tuple[Path, str]]:
    """Every stub of torch with its text, and the words in which they describe what no source says."""
    yield PACKAGE / "compat" / "_made.pyi", _MADE
    _homes.clear()
    texts: dict[str, list[str]] = {"functorch": stub_lines("rushlight.compat.functorch")}
    for module in modules():
        texts[torch_name(module)] = stub_lines(module)
    for namespace, sources in NAMESPACES.items():
        here = texts.setdefault(namespace, [])
        own = identity.swapped(namespace, "torch", "rushlight")
        held = dir(importlib.import_module(own)) if own in modules() else ()  # said above
        for source, names in sources.items():
            there = importlib.import_module(source)
            missing = [name for name in names.split() if name not in held]
            here += [said for name in missing if (said := line(source, name, getattr(there, name), put=True))]
    for name in list(texts):  # the packages that namespaces lie in
        while name := name.rpartition(".")[0]:
            texts.setdefault(name, [])
    for name, lines in sorted(texts.items()):
        yield stub_path(name), text_of(lines)
