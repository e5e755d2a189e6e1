"""Imports run one way: a folder of the package uses those below it, never those above.

The order is that of docs/design.md. Imports inside functions count as well: they hide a cycle, they do not remove it.
And no files import one another in a circle, imports for the type checker's sake included.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from processes import printed

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "rushlight"

# Lower layers first. Every folder that is not named is one of the public namespaces (nn, optim, utils, ...); the
# modules directly in the package ("rushlight" itself among them) gather all the rest.
LAYERS = ["core", "program", "prims", "transforms", "compiler", "operators"]
PUBLIC, COMPAT, TOP = len(LAYERS), len(LAYERS) + 1, len(LAYERS) + 2

# (file, module it imports) -> why it may.
ALLOWED: dict[tuple[str, str], str] = {
    ("utils/bottleneck/__main__.py", "rushlight.compat.alias"): "it starts a program, as rushlight/__main__.py does"
}

# Packages whose import costs more than the whole of rushlight's, or that are not there at all for users.
LAZY = {"numpy", "llvmlite", "scipy", "scipy_openblas64", "mpmath"}
NEVER = {"torch"}


class Import(NamedTuple):
    """One import: where, what, and whether it runs when the module is loaded."""

    line: int
    module: str
    at_load: bool


def layer(module: str) -> int:
    """The layer of a module given by its full name, such as rushlight.core.tensor."""
    parts = module.split(".")
    if len(parts) == 1:
        return TOP
    if parts[1:3] == ["operators", "samples"]:  # data of the tests, which may use the whole package
        return TOP
    if parts[1] in LAYERS:
        return LAYERS.index(parts[1])
    if parts[1] == "compat":
        return COMPAT
    return PUBLIC if (PACKAGE / parts[1]).is_dir() else TOP


def is_module(name: str) -> bool:
    """Whether rushlight.x.y names a module of the source tree (and not an attribute of one)."""
    path = PACKAGE.joinpath(*name.split(".")[1:])
    return path.is_dir() or path.with_suffix(".py").exists() or path.with_suffix(".pyx").exists()


def imports_of(tree: ast.Module, package: str, typing: bool = False) -> Iterator[Import]:
    """Every import in a module that belongs to `package`; those under `if TYPE_CHECKING` where `typing` says so."""

    def walk(node: ast.AST, at_load: bool) -> Iterator[Import]:
        if (
            not typing
            and isinstance(node, ast.If)
            and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
        ):
            for child in node.orelse:
                yield from walk(child, at_load)
            return
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(node.lineno, alias.name, at_load)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([base] if base else [])])
            for alias in node.names:
                full = f"{base}.{alias.name}"
                inside = base.split(".")[0] == "rushlight" and is_module(full)
                yield Import(node.lineno, full if inside else base, at_load)
        inner = at_load and not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for child in ast.iter_child_nodes(node):
            yield from walk(child, inner)

    yield from walk(tree, True)


def cython_imports(text: str) -> Iterator[Import]:
    """The imports and cimports of a Cython file, which Python's parser cannot read; only the package's own."""
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(
            r"(\s*)(?:from\s+(rushlight[\w.]*)\s+c?import\s+\(?([\w, ]*)|c?import\s+(rushlight[\w.]*))", line
        )
        if match is None:
            continue
        indent, base, names, whole = match.groups()
        if whole:
            yield Import(number, whole, not indent)
            continue
        for name in names.split(","):
            full = f"{base}.{name.split()[0]}" if name.split() else base
            yield Import(number, full if is_module(full) else base, not indent)


def files() -> list[Path]:
    return sorted(p for pattern in ("*.py", "*.pyx", "*.pxd") for p in PACKAGE.rglob(pattern))


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@functools.cache
def read(path: Path, typing: bool = False) -> list[Import]:
    text = path.read_text()
    if path.suffix != ".py":
        return list(cython_imports(text))
    name = name_of(path)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    return list(imports_of(ast.parse(text), package, typing))


def runs_up(importer: str, imported: str) -> bool:
    """Whether an import breaks the order."""
    above, here = layer(imported), layer(importer)
    # The public namespaces and compat are written against the public names: `import rushlight`, as a user would.
    if here >= PUBLIC and above == TOP:
        return False
    return above > here


def violations(path: Path) -> list[str]:
    """The imports of a file that run up the list of layers, as readable lines."""
    name, where = name_of(path), path.relative_to(PACKAGE).as_posix()
    return [
        f"{where}:{i.line} imports {i.module}"
        for i in read(path)
        if i.module.split(".")[0] == "rushlight" and runs_up(name, i.module) and (where, i.module) not in ALLOWED
    ]


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of more than one file (Tarjan, SIAM J. Comput. 1 (1972) 146), sorted."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        number[name] = low[name] = len(number)
        path.append(name)
        for other in sorted(edges[name]):
            if other not in number:
                visit(other)
            if other in path:
                low[name] = min(low[name], low[other])
        if low[name] == number[name]:
            at = path.index(name)
            found.append(sorted(path[at:]))
            del path[at:]

    for name in sorted(edges):
        if name not in number:
            visit(name)
    return sorted(group for group in found if len(group) > 1)


def test_no_files_import_one_another_in_a_circle() -> None:
    """A folder's `__init__.py` is what its name stands for; that Python runs it before the folder's files is no import.
    The public namespaces are written against the public names, so `import rushlight` is none either.
    """
    names = {name_of(p) for p in files() if p.suffix != ".pxd"} - {"rushlight"}
    edges: dict[str, set[str]] = {name: set() for name in names}
    for path in files():
        if path.suffix != ".pxd" and name_of(path) in names:
            edges[name_of(path)] = {i.module for i in read(path, typing=True) if i.module in names} - {name_of(path)}
    assert circles(edges) == []


def test_the_search_for_circles() -> None:
    edges = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}, "f": {"a"}}
    assert circles(edges) == [["a", "b", "c"], ["d", "e"]]


@pytest.mark.parametrize("path", files(), ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_imports_run_down(path: Path) -> None:
    found = violations(path)
    assert not found, "imports that run up the layers (docs/design.md):\n  " + "\n  ".join(found)


@pytest.mark.parametrize(
    "path", [p for p in files() if p.suffix == ".py"], ids=lambda p: p.relative_to(PACKAGE).as_posix()
)
def test_outside_imports(path: Path) -> None:
    for found in read(path):
        root = found.module.split(".")[0]
        assert root not in NEVER, f"{path.name}:{found.line} imports {found.module}"
        # The modules that write LLVM code are themselves imported on a compile miss only; see test_import_loads_little.
        if root == "llvmlite" and path.parent.name == "llvm":
            continue
        # This namespace is loaded when a program enters it, and begins by loading the package tensorboard, which loads
        # NumPy.
        if root == "numpy" and path.parent.name == "tensorboard":
            continue
        assert not (found.at_load and root in LAZY), (
            f"{path.name}:{found.line} imports {found.module} when it is loaded; import it in the function that "
            "needs it"
        )


def test_every_exception_is_in_use() -> None:
    found = {(p.relative_to(PACKAGE).as_posix(), i.module) for p in files() for i in read(p)}
    assert not set(ALLOWED) - found


def test_the_check_itself() -> None:
    tree = ast.parse(
        "import rushlight.operators\nfrom ..nn import modules\nfrom rushlight import core, Tensor\n"
        "def f():\n    from rushlight.compiler.kernels.cache import x\n"
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import rushlight.compat\n"
    )
    found = list(imports_of(tree, "rushlight.prims"))
    typed = list(imports_of(tree, "rushlight.prims", typing=True))
    assert [i.module for i in typed if i not in found] == ["rushlight.compat"]
    assert [i.module for i in found] == [
        "rushlight.operators",
        "rushlight.nn.modules",
        "rushlight.core",
        "rushlight",
        "rushlight.compiler.kernels.cache",
        "typing",
    ]
    assert [i.at_load for i in found] == [True, True, True, True, False, True]
    assert [runs_up("rushlight.prims.view", i.module) for i in found[:5]] == [True, True, False, True, True]
    assert not runs_up("rushlight.nn.parameter", "rushlight") and runs_up(
        "rushlight.nn.parameter", "rushlight.compat.alias"
    )
    assert runs_up("rushlight.core.tensor", "rushlight.program.ir") and not runs_up("rushlight", "rushlight.compat")
    lines = (
        "from rushlight.core._native cimport c_alloc\nfrom rushlight.core import dtypes as _d\n    from "
        "rushlight.operators import x\n"
    )
    assert [(i.module, i.at_load) for i in cython_imports(lines)] == [
        ("rushlight.core._native", True),
        ("rushlight.core.dtypes", True),
        ("rushlight.operators", False),
    ]


def test_import_loads_little() -> None:
    code = f"import sys, rushlight; print(*sorted(set(sys.modules) & {LAZY | NEVER!r}))"
    shown = printed("-c", code)
    assert shown.split() == []


# What importing took a third of its time for: modules of Python that a dataclass or a Path brings along, and ours that
# the first call needs.
AT_FIRST_USE = {"ast", "dataclasses", "inspect", "pathlib", "textwrap", "tokenize", "traceback"} | {
    f"rushlight.{name}"
    for name in ("compiler", "operators.table.compile", "operators.table.trace", "prims.families", "transforms")
}


def test_import_leaves_to_the_first_call_what_that_needs() -> None:
    code = f"import sys; old = {{*sys.modules}}; import rushlight; print(*({{*sys.modules}} - old) & {AT_FIRST_USE!r})"
    assert printed("-c", code).split() == []


def test_import_compiles_no_text() -> None:
    """Annotations of a NamedTuple that are text are compiled one by one, and the first of them makes Python's 100
    classes of syntax.
    """
    code = """if True:
        import sys
        found = []
        # (A named tuple evaluates its lambda, which costs little.)
        note = lambda event, args: event == "compile" and args[1] == "<string>" and found.append(args[0])
        sys.addaudithook(note)
        import rushlight
        print([text for text in found if not text.startswith(b"lambda")])
    """
    assert printed("-c", code).strip() == "[]"
