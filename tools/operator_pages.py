"""Write docs/operators/: an index by shape class, and a folder per family (as in operators/) with a page per operator.

    python tools/operator_pages.py           # write the pages
    python tools/operator_pages.py --check   # say which pages are not up to date, and write nothing

Everything comes from the definition: signature, docstring, variants, dtypes, shape class. The example is the one in the
docstring (lines with >>>) or in operators/samples/_examples.py, else it is made of the operator's shortest sample; its
output is what the call prints.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import doctest
import inspect
import io
import math
import os
import random
import re
import sys
import textwrap
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "operators"
sys.path.insert(0, str(ROOT / "src"))
os.environ.setdefault("RUSHLIGHT_CACHE_DIR", str(ROOT / "build" / "test-kernels"))

import rushlight  # noqa: E402
from rushlight.core.dispatch import Operator  # noqa: E402
from rushlight.inspection.documentation import entries as listed_in  # noqa: E402
from rushlight.inspection.documentation import parse  # noqa: E402
from rushlight.inspection.shape_classes import CLASSES  # noqa: E402
from rushlight.operators import FAMILIES  # noqa: E402
from rushlight.operators.samples._examples import EXAMPLES  # noqa: E402
from rushlight.operators.table.define import METHODS, TABLE  # noqa: E402
from rushlight.testing.samples import Make, OperatorSamples, Sample, load  # noqa: E402

NOTE = (
    "Made by `python tools/operator_pages.py`; do not edit: the text is the docstrings', the examples are run by "
    "the tests.\n"
)
WIDTH, LINES = 130, 14  # of an example
LOOKED_AT = 8  # samples of an operator


# -------------------------------------------------------------------------------------------------------- what there is
@dataclass
class Entry:
    """One operator with all that is public of it."""

    op: Operator
    functions: list[str] = field(default_factory=list)  # names below the package
    methods: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name that the page has: the function's if there is one."""
        plain = [n for n in self.functions if n.rpartition(".")[2] == self.op.name] or self.functions
        return plain[0] if plain else "Tensor." + (self.op.name if self.op.name in self.methods else self.methods[0])

    @property
    def page(self) -> str:
        """The operator's page, from docs/operators/ on."""
        return f"{self.family}/{self.name}.md"

    @property
    def family(self) -> str:
        """The file of operators/ that defines it, as a path."""
        body = self.op.definition.body
        module = getattr(body, "__wrapped__", body).__module__
        return module.removeprefix("rushlight.operators.").replace(".", "/")


def entries() -> list[Entry]:
    """Every public operator once; an in-place variant belongs to its operator."""
    found: dict[int, Entry] = {}
    for name, op in TABLE.items():
        if name.startswith("ops."):  # of an extension of another package, which documents it
            continue
        if not name.rpartition(".")[2].startswith("_") and not _variant(op):
            found.setdefault(id(op), Entry(op)).functions.append(name)
    for name, op in METHODS.items():
        if (not name.startswith("_") or name.startswith("__")) and not _variant(op):
            # A method whose arguments stand in another order (where, polygamma) belongs to the function of its name.
            same = TABLE.get(name, op)
            found.setdefault(id(same), Entry(same)).methods.append(name)
    return sorted(found.values(), key=lambda e: e.name.rpartition(".")[2])


def _variant(op: Operator) -> bool:
    other = getattr(op, "functional", None)
    return op.inplace and other is not None and _is_public(other)


def _is_public(op: Operator) -> bool:
    return any(o is op for o in TABLE.values()) or any(o is op for o in METHODS.values())


# ------------------------------------------------------------------------------------------------------------- examples
class _Round(random.Random):
    """Numbers that are short to write."""

    def uniform(self, a: float, b: float) -> float:
        return min(max(round(super().uniform(a, b), 1), a), b)


class ShortMake(Make):
    """Makes tensors whose values have one decimal."""

    def __init__(self, dtype: Any) -> None:
        super().__init__(dtype, 0)
        self.random = _Round(3)


def written(value: Any) -> str | None:
    """An argument as source text; None for what cannot be written."""
    if isinstance(value, rushlight.Tensor):
        if (value.ndim > 1 and not value.numel()) or type(value) is not rushlight.Tensor or value.is_meta:
            return None
        if value.numel() > 16:  # by a rule; indices and the like must be as they are
            simple = value.dtype in (rushlight.float32, rushlight.complex64)
            return (
                f"torch.linspace(-1, 1, {value.numel()}).reshape{tuple(value.shape)}"
                if simple and value.numel() <= 4096
                else None
            )
        data = numbers(value.detach().to(rushlight.float64).tolist() if value.dtype.kind == "f" else value.tolist())
        usual = value.dtype in (rushlight.float32, rushlight.int64, rushlight.bool, rushlight.complex64) and (
            value.numel() or value.dtype is rushlight.float32
        )
        return f"torch.tensor({data})" if usual else f"torch.tensor({data}, dtype=torch.{value.dtype.name})"
    if isinstance(value, (tuple, list)):
        parts = [written(v) for v in value]
        if any(p is None for p in parts):
            return None
        inside = ", ".join(p for p in parts if p is not None)
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' * (len(parts) == 1)})"
    if value is None or isinstance(value, (bool, int, str)):
        return repr(value)
    if isinstance(value, (float, complex)):
        return numbers(value)
    if isinstance(value, rushlight.dtype):
        return f"torch.{value.name}"
    return None


def numbers(data: Any) -> str:
    """Nested lists of numbers as source text, floats in at most six digits."""
    if isinstance(data, list):
        return "[" + ", ".join(map(numbers, data)) + "]"
    if isinstance(data, float):
        return (
            repr(float(f"{data:.6g}"))
            if math.isfinite(data)
            else "torch.nan"
            if math.isnan(data)
            else "torch.inf"
            if data > 0
            else "-torch.inf"
        )
    return repr(data)


def call_text(entry: Entry, sample: Sample) -> str | None:
    """Lines of code that make the sample's call, tensors under their parameters' names; None when an argument cannot be
    written.
    """
    lines, args = [], []
    names = [p.name for p in entry.op.params if not p.keyword_only]
    given = [(names[min(i, len(names) - 1)] if names else "x", None, a) for i, a in enumerate(sample.args)] + [
        (k, k, v) for k, v in sample.kwargs.items()
    ]
    used: set[str] = set()
    for name, keyword, value in given:
        text = written(value)
        if text is None:
            return None
        if "torch.tensor" in text or "torch.linspace" in text:
            while name in used or name in dir(__builtins__) and name != "input":
                name += "_"
            used.add(name)
            lines.append(f"{name} = {text}")
            text = name
        args.append(f"{keyword}={text}" if keyword else text)
    if entry.functions:
        return "\n".join([*lines, f"torch.{entry.name}({', '.join(args)})"])
    if not sample.args or not lines:
        return None
    return "\n".join([*lines, f"{args[0]}.{entry.name.removeprefix('Tensor.')}({', '.join(args[1:])})"])


def transcript(code: str, raises: str = "") -> str:
    """A session at Python's prompt: each statement with what it prints.

    Args:
        code: the statements; `torch` is rushlight.
        raises: the name of the exception that the last statement raises; none where it is empty.

    Returns:
        The session.

    Raises:
        ValueError: the last statement raises nothing, or something else; or one imports torch, which would be an
            installed PyTorch.
    """
    # A module of its own, for classes and functions that are looked for by their module's name.
    namespace = types.ModuleType("example")
    namespace.__dict__["torch"] = rushlight
    done, tree = "", ast.parse(code)
    if any(_imports_torch(node) for node in ast.walk(tree)):
        raise ValueError(f"the example imports torch, which is there without: {code}")
    body = tree.body
    for node in body:
        # With its decorators, which stand before where Python says that it begins.
        first_line = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        source = "\n".join(code.splitlines()[first_line - 1 : node.end_lineno])
        shown, ended = io.StringIO(), ""
        with contextlib.redirect_stdout(shown), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec(compile(ast.Interactive([node]), "<example>", "single"), namespace.__dict__)
            except Exception as error:
                ended = type(error).__name__
                if node is not body[-1] or ended != raises:
                    raise
                shown.write(f"Traceback (most recent call last):\n    ...\n{ended}: {error}\n")
        if node is body[-1] and ended != raises:
            raise ValueError(f"the example should end with {raises}: {code}")
        first, *more = source.splitlines()
        done += f">>> {first}\n" + "".join(f"... {line}".rstrip() + "\n" for line in more) + shown.getvalue()
    return done


def _imports_torch(node: ast.AST) -> bool:
    names = [a.name for a in node.names] if isinstance(node, ast.Import) else [getattr(node, "module", None) or ""]
    return isinstance(node, (ast.Import, ast.ImportFrom)) and any(n.partition(".")[0] == "torch" for n in names)


def candidates(entry: Entry, spec: OperatorSamples) -> Iterator[tuple[float, str]]:
    """(how unsuitable, code) of the samples that can be written out."""
    dtype = next(
        (d for d in (rushlight.float32, rushlight.int64, rushlight.complex64) if d in spec.dtypes), spec.dtypes[0]
    )
    for sample in spec.generate(ShortMake(dtype)):
        code = call_text(entry, sample) if isinstance(sample, Sample) else None
        if code is None or any(len(line) > WIDTH for line in code.splitlines()):
            continue
        tensors = [
            t
            for a in (*sample.args, *sample.kwargs.values())
            for t in (a if isinstance(a, (tuple, list)) else [a])
            if isinstance(t, rushlight.Tensor)
        ]
        # A vector or a small matrix shows most; no elements, a single one, or a lot, less. What is left at its default
        # shows nothing, and a dimension of size 1 little of what happens along it.
        sizes = [t.numel() for t in tensors]
        along = any(p.name in ("dim", "dims", "kernel_size") for p in entry.op.params)
        dull = (
            sum(400 for n in sizes if not n)
            + sum(250 for t in tensors[:1] if not t.ndim)
            + 40 * (bool(sizes) and sizes[0] < 3)
            + 40 * (not tensors and bool(entry.methods))
            + sum(40 for t in tensors for n in t.shape if n == 1)
            + 30 * (along and bool(tensors) and tensors[0].ndim < 2)
        )
        yield (
            dull + max(sum(sizes), 6) * 6 + len(code) / 4 - 10 * (len(sample.args) + len(sample.kwargs) - len(tensors)),
            code,
        )


def fails_or_shows_nothing(code: str) -> bool:
    """The same of a call that may fail: written out, a sample may have lost its strides."""
    try:
        return shows_nothing(code)
    except (RuntimeError, IndexError, AttributeError, ValueError, TypeError):
        return True


def shows_nothing(code: str) -> bool:
    """Whether a call gives what it was given, the same values in the same shape, or no elements."""
    *before, last = ast.parse(code).body
    space: dict[str, Any] = {"torch": rushlight}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(ast.Module(before, []), "<example>", "exec"), space)
        assert isinstance(last, ast.Expr)
        given = [v for v in space.values() if isinstance(v, rushlight.Tensor)]
        result = eval(compile(ast.Expression(last.value), "<example>", "eval"), space)
    results = result if isinstance(result, (tuple, list)) else [result]
    if any(isinstance(r, rushlight.Tensor) and not r.numel() for r in results):
        return True
    if not given or not isinstance(result, rushlight.Tensor):
        return False
    first = given[0]
    return result.shape == first.shape and result.dtype is first.dtype and bool((result == first).all())


def example(entry: Entry, known: dict[str, OperatorSamples]) -> str | None:
    """The example of an operator as a doctest; None when there is none."""
    own = doctest.DocTestParser().get_examples(inspect.cleandoc(entry.op.__doc__ or ""))
    if own:
        return transcript("".join(e.source for e in own))
    if entry.name in EXAMPLES:
        return transcript(EXAMPLES[entry.name])
    spec = next((known[n] for n in [*entry.functions, *entry.methods, entry.op.name] if n in known), None)
    if spec is None:
        return None
    # Of those that do something, the best; where none does (positive, a copy), the best of all.
    found = [code for _, code in sorted(candidates(entry, spec))]
    lively = [code for code in found[:LOOKED_AT] if not fails_or_shows_nothing(code)]
    for code in [*lively[:1], *found]:
        # Written out, a sample may have lost its strides; and a tuple of results, which may be too much to read, has no
        # shape.
        with contextlib.suppress(RuntimeError, IndexError, AttributeError):
            text = transcript(code)
            if len(text.splitlines()) > LINES + code.count("\n") or max(map(len, text.splitlines())) > WIDTH + 4:
                text = transcript(code + ".shape")
            if text.splitlines()[-1].startswith(">>>"):
                continue  # it prints nothing
            return text
    return None


# ---------------------------------------------------------------------------------------------------------------- pages
def text_of(doc: str) -> str:
    """A docstring without its example as Markdown, its sections as lists."""
    parts = parse(doc)
    text = plain(parts.text)
    for section, lines in parts.sections.items():
        listed = listed_in(lines) if section in ("Args", "Raises") else []
        if section == "Args":
            text += "\n\n**Args:**\n\n" + "\n".join(
                f"- {', '.join(f'`{n.strip()}`' for n in names.split(','))}: {plain(said)}" for names, said in listed
            )
        elif listed:
            text += f"\n\n**{section}:**\n\n" + "\n".join(
                f"- {plain(f'{names}: {said}' if names else said)}" for names, said in listed
            )
        elif not section.startswith("Example"):
            text += f"\n\n**{section}:** {plain(' '.join(' '.join(lines).split()))}"
    return text


def plain(text: str) -> str:
    """A docstring's words as Markdown: what stands between backquotes is code, and nothing else is markup."""
    text = text.replace("``", "`")
    pieces = re.split(r"(`[^`]*`)", text)
    pieces[::2] = [re.sub(r"([*<\[\]|]|(?<!\w)_|_(?!\w))", r"\\\1", p) for p in pieces[::2]]
    return re.sub(r"(?m)^(\s*)([-+#>]|\d+\.)(?=\s)", r"\1\\\2", "".join(pieces))


raise_later: list[str] = []  # operators without an example, and why


def operator_page(entry: Entry, known: dict[str, OperatorSamples], with_example: bool = True) -> str:
    """The page of one operator."""
    op = entry.op
    signature = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(op)))
    signature = textwrap.fill(
        entry.name + signature, 118, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    text = f"# {entry.name}\n\n```\n{signature}\n```\n\n{text_of(op.__doc__ or '')}\n\n"
    also = [f"`{n}`" for n in entry.functions if n != entry.name] + [
        f"`Tensor.{n}`" for n in entry.methods if f"Tensor.{n}" != entry.name
    ]
    also += [
        f"`Tensor.{n}_`"
        for n in [*entry.methods, op.name]
        if METHODS.get(n + "_") is not None and getattr(METHODS[n + "_"], "functional", None) is op
    ]
    facts = [f"Shape class: [{op.shape_class}](../../index.md#{op.shape_class})."]
    if also:
        facts.append("Also: " + ", ".join(dict.fromkeys(also)) + ".")
    spec = next((known[n] for n in [*entry.functions, *entry.methods, op.name] if n in known), None)
    if spec is not None:
        facts.append(
            f"Dtypes: {dtypes_text(spec)}."
            + (" Differentiable to any order." if spec.grad and any(d.kind in "fc" for d in spec.dtypes) else "")
        )
    text += " ".join(facts) + "\n"
    if not with_example:
        return text
    try:
        shown = example(entry, known)
    except Exception as error:  # a page may not cost the others theirs; the tool fails at the end
        raise_later.append(f"{entry.name}: its sample fails: {type(error).__name__}: {error}")
        return text
    if shown is None:
        raise_later.append(
            f"{entry.name}: no sample is short enough for an example; write one in the docstring "
            f"({op.definition.source})"
        )
    return (
        text
        + (f"\n```python\n{shown}```\n" if shown else "")
        + f"\n[{entry.family}](README.md) · [all operators](../../index.md)\n"
    )


def dtypes_text(spec: OperatorSamples) -> str:
    """The dtypes that an operator takes, in few words."""
    groups = {
        "floating point": "float16 bfloat16 float32 float64",
        "complex": "complex64 complex128",
        "integers": "int8 int16 int32 int64 uint8",
        "bool": "bool",
    }
    left, found = {d.name for d in spec.dtypes}, []
    for group, members in groups.items():
        if set(members.split()) <= left:
            found.append(group)
            left -= set(members.split())
    return ", ".join(found + sorted(left))


def code_lines(family: str) -> int:
    """Lines of a family's file that are neither blank, comment nor docstring."""
    source = (ROOT / "src" / "rushlight" / "operators" / f"{family}.py").read_text()
    documented: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef))
            and ast.get_docstring(node, clean=False) is not None
        ):
            documented |= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return sum(
        bool(line.strip()) and not line.strip().startswith("#") and i not in documented
        for i, line in enumerate(source.splitlines(), 1)
    )


def family_page(family: str, members: list[Entry]) -> str:
    """The list of one family's operators."""
    about = inspect.cleandoc(sys.modules["rushlight.operators." + family.replace("/", ".")].__doc__ or "").split(
        "\n\n"
    )[0]
    rows = "".join(
        (
            f"- [{e.name}]({Path(e.page).name}): "
            f"{text_of(e.op.__doc__ or '').split(chr(10) + chr(10))[0].replace(chr(10), ' ')}\n"
        )
        for e in members
    )
    return (
        f"# Operators: {family}\n\n{about}\n\n{NOTE}\n`torch` in the examples is rushlight: `import rushlight as "
        f"torch`.\n\n{rows}"
    )


def index_page(all_entries: list[Entry], families: dict[str, list[Entry]]) -> str:
    """All operators by shape class, and the families."""
    where = {id(e): f"[{e.name}]({e.page})" for e in all_entries}
    text = (
        f"# Operators by shape class\n\n{NOTE}\nThe class is derived from the operator's program "
        "(`src/rushlight/inspection/shape_classes.py`), and is there as\n"
    )
    text += "`rushlight.softmax.shape_class`. [operators.md](../operators.md) says what has been checked of each.\n\n"
    lines = {f: code_lines(f) for f in families}
    count = {f: len(members) for f, members in families.items()}
    text += (
        f"{sum(count.values())} operators in {sum(lines.values())} lines of code, "
        f"{sum(lines.values()) / sum(count.values()):.1f} each.\n\n"
    )
    text += "| family (a file of `operators/`) | operators | lines of code | an operator |\n| --- | --- | --- | --- |\n"
    text += "".join(
        f"| [{f}]({f}/README.md) | {count[f]} | {lines[f]} | {lines[f] / count[f]:.1f} |\n" for f in families
    )
    for name in [c for c in CLASSES if any(e.op.shape_class == c for e in all_entries)]:
        members = [where[id(e)] for e in all_entries if e.op.shape_class == name]
        text += (
            f"\n## {name}\n\n{CLASSES[name][0].upper()}{CLASSES[name][1:]} ({len(members)}).\n\n{' '.join(members)}\n"
        )
    return text


def has_class(entry: Entry) -> bool:
    """Whether the operator's shape class is known; what is not known is said at the end."""
    try:
        return bool(entry.op.shape_class)
    except LookupError as error:
        if type(error) is not LookupError:
            raise
        raise_later.append(str(error))
        return False


def pages() -> Iterator[tuple[Path, str]]:
    """Every page with the text that it should have."""
    known = load()
    everything = [e for e in entries() if has_class(e)]
    families = {f: [e for e in everything if e.family == f] for f in (n.replace(".", "/") for n in FAMILIES)}
    families = {f: members for f, members in families.items() if members}
    lost = [e.name for e in everything if e.family not in families]
    if lost:
        raise SystemExit(f"operators of no family: {lost}")
    for family, members in families.items():
        yield FOLDER / family / "README.md", family_page(family, members)
        for entry in members:
            yield FOLDER / entry.page, operator_page(entry, known)
    yield FOLDER / "index.md", index_page(everything, families)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("--missing", action="store_true", help="list the operators without an example")
    options = parser.parse_args()
    if options.missing:
        known = load()
        missing = [f"{e.name}  {e.op.definition.source}" for e in entries() if example(e, known) is None]
        print("\n".join(missing))
        return 1 if missing else 0
    wanted = dict(pages())
    stale = [p for p, text in wanted.items() if not p.exists() or p.read_text() != text]
    extra = [p for p in FOLDER.rglob("*.md") if p not in wanted]
    for path in [*stale, *extra]:
        print(
            f"{path.relative_to(ROOT)} "
            f"{'is not up to date' if options.check else 'written' if path in wanted else 'removed'}"
        )
    if not options.check:
        for path in stale:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[path])
        for path in extra:
            path.unlink()
    print("\n".join(raise_later), file=sys.stderr)
    return 1 if raise_later or (options.check and (stale or extra)) else 0


if __name__ == "__main__":
    sys.exit(main())
