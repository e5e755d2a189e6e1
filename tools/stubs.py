"""Write the type stubs of what the operator table makes: functions, Tensor's methods, named results.

    python tools/stubs.py           # write the files
    python tools/stubs.py --check   # say which files are not up to date, and write nothing

`core/_methods.pyi` is a base of Tensor for type checkers; an `_operators.pyi` holds a namespace's functions, and the
namespace imports its names under `if TYPE_CHECKING`. There is no such module when the program runs. What lies in
`compat/stubs` is `import torch` for type checkers, see torch_stubs.py.
"""

from __future__ import annotations

import argparse
import ast
import functools
import inspect
import re
import sys
import textwrap
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "rushlight"
WIDTH = 120
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

from tools.torch_stubs import FOLDER, torch_files  # noqa: E402

import rushlight  # noqa: E402
from rushlight.core.dispatch import Operator  # noqa: E402
from rushlight.core.named import Named  # noqa: E402
from rushlight.operators.table.define import FUNCTIONS, TABLE, public, public_names  # noqa: E402
from rushlight.operators.table.returns import TYPES  # noqa: E402
from rushlight.operators.table.signature import out_of, shown  # noqa: E402

# Names that a namespace or Tensor gives another meaning (rushlight.bool is a dtype, Tensor.int a method).
_SHADOWED = (
    "bool",
    "complex",
    "float",
    "int",
    "str",
    "type",
    "dtype",
    "device",
    "layout",
    "memory_format",
    "Generator",
)
_HEAD = """# Made by `python tools/stubs.py` from the operator table; do not edit.
# ruff: noqa
from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from builtins import type as _type
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Self, TypeAlias, overload

from rushlight import return_types as _return_types
from rushlight.core.dtypes import dtype as _dtype
from rushlight.core.dtypes import layout as _layout
from rushlight.core.dtypes import memory_format as _memory_format
from rushlight.core.tensor import Size, Tensor
from rushlight.core.tensor import device as _device
from rushlight.operators.random.generators import Generator as _Generator

_Number: TypeAlias = _complex  # int, float and bool are taken for a complex
"""
_KNOWN = {
    "Any",
    "None",
    "Tensor",
    "Sequence",
    "Iterable",
    "Callable",
    "Number",
    "tuple",
    "list",
    "Self",
    "Size",
    *_SHADOWED,
}
# Functions whose result's type follows from the number of arguments: (parameters, result).
OVERLOADS = {
    "where": (
        ("condition: Tensor", "tuple[Tensor, ...]"),
        ("condition: Tensor, input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None", "Tensor"),
    )
}
# What parameters are called too (`axis`, `keepdims`, `x` and the like are NumPy's: no form of its own for each
# operator that takes them).
_OTHER_NAMES = ("value", "indices", "sections", "split_size", "axis0", "axis1", "size", "shape")


# ------------------------------------------------------------------------------------------------------- one definition
def type_text(note: Any) -> str:
    """An annotation in the names of the stub; Any where it uses a name that the stub lacks."""
    text = (
        note
        if isinstance(note, str)
        else "Any"
        if note is inspect.Parameter.empty
        else getattr(note, "__name__", str(note))
    )
    text = re.sub(r"\bdt\.(?=dtype\b)", "", text)
    if set(re.findall(r"[A-Za-z_]\w*", re.sub(r"'[^']*'|\"[^\"]*\"", "", text))) - _KNOWN:
        return "Any"
    text = re.sub(r"\bNumber\b", "_Number", text)
    return re.sub(rf"\b({'|'.join(_SHADOWED)})\b", r"_\1", text)


def written(note: Any) -> Any:
    """An annotation in the table's words as a reader has it; another one as it is."""
    return shown(note) if isinstance(note, str) else note


def default_text(value: Any) -> str:
    """A default as it is written in a stub."""
    return (
        repr(value)
        if value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and abs(value) < 1e300)
        else "..."
    )


def parameters_text(parameters: list[inspect.Parameter]) -> str:
    """The parameters of a definition."""
    parts, star = [], False
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        name = p.name
        if p.kind is p.VAR_POSITIONAL:
            name, star = "*" + name, True
        elif p.kind is p.VAR_KEYWORD:
            name = "**" + name
        parts.append(
            f"{name}: {type_text(p.annotation)}" + ("" if p.default is p.empty else f" = {default_text(p.default)}")
        )
    return ", ".join(parts)


def definition(
    name: str, parameters: list[inspect.Parameter], result: str, doc: str, indent: str, overloaded: bool = False
) -> str:
    """One `def` of a stub."""
    head = f"{indent}@overload\n" * overloaded + f"{indent}def {name}({parameters_text(parameters)}) -> {result}:"
    return f'{head}\n{indent}    """{doc}"""\n' if doc else f"{head} ...\n"


def first_sentence(doc: str | None) -> str:
    """The first sentence of a docstring, on one line, as the text between quotes of a stub."""
    text = " ".join((doc or "").strip().split("\n\n")[0].split())
    return text.replace("\\", "\\\\").replace('"', "'")


def operator_stub(name: str, op: Operator, method: bool) -> str:
    """An operator's definition or overloads: as the signature says, sizes as ints or one sequence, a named result."""
    if not method and name in OVERLOADS:
        return "".join(
            f'@overload\ndef {name}({given}) -> {gives}:\n    """{first_sentence(op.definition.__doc__)}"""\n'
            for given, gives in OVERLOADS[name]
        )
    signature = inspect.signature(op)
    parameters = list(signature.parameters.values())
    result, indent, doc = type_text(signature.return_annotation), "", first_sentence(op.definition.__doc__)
    if method:
        parameters[0] = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        result, indent, doc = "Self" if op.inplace else result, "    ", ""
    forms = [(parameters, result)]
    collects = next((p for p in parameters if p.kind is p.VAR_POSITIONAL), None)
    if collects is not None:
        whole = collects.replace(
            kind=collects.POSITIONAL_OR_KEYWORD, annotation=collects.annotation.rpartition(" | ")[2]
        )
        forms.append(([whole if p is collects else p for p in parameters], result))
        dtype = next((p for p in parameters if op.name == "view" and p.name == "dtype"), None)
        if dtype is not None:  # x.view(torch.int32)
            forms.append(
                (
                    [
                        dtype.replace(kind=dtype.POSITIONAL_OR_KEYWORD, default=dtype.empty, annotation="dtype")
                        if p is collects
                        else p
                        for p in parameters
                        if p is not dtype
                    ],
                    result,
                )
            )
    if op.name in TYPES:
        named = f"_return_types.{op.name}"
        dim = next((p for p in parameters if p.name == "dim"), None)
        if dim is None or dim.default is not None or result != "Any":  # the call alone says what comes back of max()
            forms = [(parameters, named)]
        else:
            alone = [p for p in parameters if p.name not in ("dim", "keepdim")]
            forms = [
                ([p for p in alone if p.name != "other"], "Tensor"),
                (
                    [
                        p.replace(default=p.empty, annotation="int") if p is dim else p
                        for p in parameters
                        if p.name != "other"
                    ],
                    named,
                ),
            ]
            if any(p.name == "other" for p in parameters):
                forms.append(
                    (
                        [
                            p.replace(kind=p.POSITIONAL_OR_KEYWORD, default=p.empty, annotation="Tensor")
                            if p.name == "other"
                            else p
                            for p in alone
                        ],
                        "Tensor",
                    )
                )
    names = {p.name for p in parameters}
    for other in (n for n in _OTHER_NAMES if n in op.index and n not in names):
        said = next(p.name for i, p in enumerate(op.params) if i == op.index[other])
        forms += [
            ([p.replace(name=other) if p.name == said else p for p in form], gives)
            for form, gives in forms
            if any(p.name == said and p.kind is not p.VAR_POSITIONAL for p in form)
        ]
    text = ""
    for form, gives in forms:
        items = [p for p in form if not (method and p.name == "self")]
        items = [p.replace(annotation=out_of(gives)) if p.name == "out" and gives != "Any" else p for p in items]
        body = definition(name, items, gives, doc, indent, len(forms) > 1)
        text += body.replace("(", "(self, " if items else "(self", 1) if method else body
    return text


def function_stub(name: str, fn: Callable[..., Any], indent: str = "") -> str:
    """A plain Python function's definition."""
    signature = inspect.signature(fn)
    parameters = [p.replace(annotation=written(p.annotation)) for p in signature.parameters.values()]
    result = type_text(written(signature.return_annotation))
    if not indent:
        return definition(name, parameters, result, first_sentence(fn.__doc__), indent)
    body = definition(name, parameters[1:], result, "", indent)
    return body.replace("(", "(self, " if parameters[1:] else "(self", 1)


# ------------------------------------------------------------------------------------------------------- lines that fit
def fitted(text: str) -> str:
    """The text of a stub with its long lines as several."""
    return "\n".join("\n".join(_shorter(line)) if len(line) > WIDTH else line for line in text.split("\n"))


def _shorter(line: str) -> list[str]:
    indent = line[: len(line) - len(line.lstrip())]
    if '"""' in line:
        body = line.strip().removeprefix('"""').removesuffix('"""')
        rows = textwrap.wrap(
            body, WIDTH, initial_indent=f'{indent}"""', subsequent_indent=indent, break_on_hyphens=False
        )
        return [*rows, f'{indent}"""']
    if line.startswith("from "):
        head, names = line.split(" import ")
        return [f"{head} import (", *(f"    {name}," for name in names.split(", ")), ")"]
    head, rest = line.split("(", 1)
    inner, tail = rest.rsplit(") ->", 1)
    rows = [indent + "   "]
    for part in _parts(inner):
        if len(rows[-1]) + len(part) + 2 > WIDTH:
            rows.append(indent + "   ")
        rows[-1] += f" {part},"
    return [f"{head}(", *rows, f"{indent}) ->{tail}"]


def _parts(parameters: str) -> Iterator[str]:
    """Parameters apart: commas within brackets and strings are theirs."""
    depth, quote, begin = 0, "", 0
    for i, c in enumerate(parameters):
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c == "," and not depth:
            yield parameters[begin:i].strip()
            begin = i + 1
        else:
            depth += (c in "([{") - (c in ")]}")
    yield parameters[begin:].strip()


# ------------------------------------------------------------------------------------------------------------ the files
def said_by_hand() -> set[str]:
    """The attributes of Tensor that core/tensor.pyi says itself."""
    tree = ast.parse((PACKAGE / "core" / "tensor.pyi").read_text())
    body = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Tensor").body
    return {n.name for n in body if isinstance(n, ast.FunctionDef)} | {
        n.target.id for n in body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
    }


def methods_file() -> str:
    """core/_methods.pyi: what the operator table and the autograd engine attach to Tensor."""
    known = said_by_hand() | {"var"}
    text = "class TensorMethods:\n"
    for name, value in sorted(vars(rushlight.Tensor).items()):
        if name in known or name in vars(object):
            continue
        if isinstance(value, Operator | Named):
            text += operator_stub(name, operator_of(value), True)
        elif getattr(value, "fget", None) is not None:
            result = type_text(inspect.signature(value.fget).return_annotation)
            text += f"    @property\n    def {name}(self) -> {result}: ...\n"
            if value.fset is not None:
                text += f"    @{name}.setter\n    def {name}(self, value: Any) -> None: ...\n"
        elif hasattr(value, "__code__"):  # a function, or what guards one
            text += function_stub(name, value, "    ")
    return _HEAD + "\n" + text


def operator_of(value: Any) -> Any:
    """What an alias or a method calls, if it takes the same arguments; anything else as it is."""
    return value.op if isinstance(value, Named) and value.form is None else value


def operators_file(namespace: str, leave: Callable[[str], bool]) -> str:
    """An `_operators.pyi`: the functions of a namespace of the table, those of `leave` excepted.

    What the package itself offers under the same name is imported from its stub."""
    own = sorted(public_names(namespace).items())
    stubs = {n: operator_stub(n, operator_of(op), False) for n, op in own if not leave(n)}
    shared = [n for n, text in stubs.items() if namespace and package_stubs().get(n) == text]
    imports = "".join(f"from rushlight._operators import {n} as {n}\n" for n in shared)
    return _HEAD + imports + "".join("\n" + text for n, text in stubs.items() if n not in shared)


@functools.cache
def package_stubs() -> dict[str, str]:
    """The definition that the package's own stub has of each operator that the table names there."""
    own = {n: operator_of(op) for n, op in public_names("").items() if not n.startswith("_")}
    return {n: operator_stub(n, op, False) for n, op in own.items() if operator_of(vars(rushlight).get(n)) is op}


@functools.cache
def written_in(module: str) -> frozenset[str]:
    """The functions and classes that a module's source defines by name (others are made by loops over names)."""
    source = ROOT / "src" / Path(*module.split("."))
    path = next((p for p in (source.with_suffix(".py"), source.with_suffix(".pyi")) if p.exists()), None)
    if path is None:
        return frozenset()
    return frozenset(n.name for n in ast.parse(path.read_text()).body if isinstance(n, (ast.FunctionDef, ast.ClassDef)))


def package_file() -> str:
    """_operators.pyi of the package itself: its operators, its functions, and the names that are imported when first
    used.
    """
    text, imports = operators_file("", lambda n: n not in package_stubs()), []
    for name, value in sorted(FUNCTIONS.items()):
        if isinstance(value, (types.FunctionType, type)) and value.__name__ in written_in(value.__module__):
            imports.append(f"from {value.__module__} import {value.__name__} as {name}\n")
        elif hasattr(value, "__code__"):  # a function, or what guards one
            text += "\n" + function_stub(name, value)
        else:
            text += f"\n{name}: {'_Generator' if name == 'default_generator' else 'Any'}\n"
    for name, module in sorted(rushlight._LAZY.items()):
        imports.append(f"from rushlight.{module} import {name} as {name}\n")
    for name in rushlight._MODULES:
        if (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").exists():
            imports.append(f"from rushlight import {name} as {name}\n")
    return text.replace(_HEAD, _HEAD + "".join(dict.fromkeys(imports)), 1)


def return_types_file() -> str:
    """return_types.pyi: the named tuples."""
    text = (
        "# Made by `python tools/stubs.py` from the operator table; do not edit.\n# ruff: noqa\nfrom typing "
        "import NamedTuple\n\nfrom rushlight.core.tensor import Tensor\n"
    )
    for name, kind in sorted(TYPES.items()):
        fields: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
        types = {"bin_edges": "Tensor | tuple[Tensor, ...]"} if name == "histogramdd" else {}
        text += f"\nclass {name}(NamedTuple):\n" + "".join(f"    {f}: {types.get(f, 'Tensor')}\n" for f in fields)
    return text


def files() -> Iterator[tuple[Path, str]]:
    """Every stub with the text that it should have."""
    for path, text in _texts():
        yield path, fitted(text)


def _texts() -> Iterator[tuple[Path, str]]:
    yield PACKAGE / "core" / "_methods.pyi", methods_file()
    yield PACKAGE / "_operators.pyi", package_file()
    yield PACKAGE / "return_types.pyi", return_types_file()
    for namespace in sorted({n.rpartition(".")[0] for n in TABLE} - {""}):
        folder = PACKAGE.joinpath(*namespace.split("."))
        module = ".".join(["rushlight", *namespace.split(".")])
        found = importlib_module(module)
        if folder.is_dir():
            place = folder / "_operators.pyi"
        else:
            place = folder.parent / f"_{folder.name}_operators.pyi"
        prefix = namespace + "."
        yield (
            place,
            operators_file(
                namespace,
                lambda n, found=found, prefix=prefix: (
                    n.startswith("_") or operator_of(vars(found).get(n)) is not operator_of(public(prefix + n))
                ),
            ),
        )  # type: ignore[misc]

    yield from torch_files()


def importlib_module(name: str) -> Any:
    """The module of a namespace."""
    import importlib

    return importlib.import_module(name)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    options = parser.parse_args()
    wanted = dict(files())
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        print(f"{path.relative_to(ROOT)} is not up to date" if options.check else f"writes {path.relative_to(ROOT)}")
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[path])
    over = sorted(set(FOLDER.rglob("*.pyi")) - set(wanted))
    for path in over:
        print(f"{path.relative_to(ROOT)} is {'of a module that is gone' if options.check else 'removed'}")
        if not options.check:
            path.unlink()
    return 1 if options.check and (stale or over) else 0


if __name__ == "__main__":
    sys.exit(main())
