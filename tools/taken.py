"""Writes src/rushlight/inspection/taken.py: which shapes and dtypes the tensors of each operator have in its samples.

Where samples do not say so (numbers that may be tensors, lists of tensors, operators without samples), a call of the
samples, or of the operator's example, is made again with each dtype: those that are taken are the answer.

    python tools/taken.py           # write it
    python tools/taken.py --check   # say whether it is up to date, and write nothing

The documentation of arguments is made of it, without the samples.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "src" / "rushlight" / "inspection" / "taken.py"
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tools")]
os.environ.setdefault("RUSHLIGHT_CACHE_DIR", str(ROOT / "build" / "test-kernels"))

import operator_pages  # noqa: E402
import rushlight  # noqa: E402
from rushlight.core.dispatch import Operator  # noqa: E402
from rushlight.inspection.documentation import label, said_of, says_dtypes  # noqa: E402
from rushlight.operators.table.define import METHODS, TABLE  # noqa: E402
from rushlight.testing.samples import Make, OperatorSamples, Sample, load  # noqa: E402

HEAD = '''"""Which shapes and dtypes tensors among the arguments have in the samples.

Made by `python tools/taken.py`; do not edit. A line is of `namespace.operator:argument`, several with a space between.
"""

from __future__ import annotations

TAKEN: dict[str, str] = {
'''
# A family is named where these of it are taken: the samples leave half precision out where it adds nothing.
GROUPS = {
    "floating point": "float32 float64",
    "complex": "complex64 complex128",
    "integers": "int8 int16 int32 int64 uint8",
    "bool": "bool",
}
OF_A_GROUP = ("float16", "bfloat16")
INDICES = {"int32", "int64"}
LOOKED_AT = 3  # samples of a dtype, after the first one's


def dtypes_text(names: set[str], exact: bool = False) -> str:
    """Dtypes in few words; nothing where they are of no family, unless the set is exact."""
    left, found = set(names), []
    for group, members in GROUPS.items():
        if set(members.split()) <= left:
            found.append(group)
            left -= {*members.split(), *(OF_A_GROUP if group == "floating point" else ())}
    if (
        not exact and not left <= INDICES
    ):  # of values that are written down in a sample, with the dtype that they happen to have
        return ""
    *most, last = found + sorted(left)
    return f"{', '.join(most)} or {last}" if most else last


def seen(op: Operator, name: str, known: dict[str, OperatorSamples]) -> dict[str, tuple[set[int], set[str]]]:
    """Of each argument that is a tensor: the numbers of dimensions, and the dtypes, that it has in the samples."""
    spec = known[name]
    found: dict[str, tuple[set[int], set[str]]] = {}
    names = [p.name for p in op.params]
    typed = {p.name for p in inspect.signature(op).parameters.values() if "Tensor" in str(p.annotation)}
    for i, dtype in enumerate(sorted(spec.dtypes, key=lambda d: d is not rushlight.float32)):
        drawn = (s for s in spec.generate(Make(dtype, 0)) if isinstance(s, Sample))
        for sample in drawn if i == 0 else islice(drawn, LOOKED_AT):
            for key, value in [*zip(names, sample.args), *sample.kwargs.items()]:
                if isinstance(value, rushlight.Tensor) and value.layout is rushlight.strided and key in typed:
                    ranks, dtypes = found.setdefault(key, (set(), set()))
                    ranks.add(value.ndim)
                    dtypes.add(value.dtype.name)
    return found


def taken() -> dict[str, str]:
    """What is said of each `operator:argument`; of two operators of one name, nothing where they differ."""
    known = load()
    said: dict[str, set[str]] = {}
    done = set()
    for table in (TABLE, METHODS):
        for name, op in table.items():
            if id(op) in done or name not in known or name.startswith("ops."):
                continue
            done.add(id(op))
            for argument, (ranks, dtypes) in seen(op, name, known).items():
                shape = "any shape" if 0 in ranks and max(ranks) > 2 else ""
                what = "; ".join(filter(None, (shape, dtypes_text(dtypes))))
                said.setdefault(f"{label(op)}:{argument}", set()).add(what)
    found = {key: texts.pop() for key, texts in said.items() if len(texts) == 1 and "" not in texts}
    with warnings.catch_warnings(), rushlight.no_grad():
        warnings.simplefilter("ignore")  # of what is lost in conversions
        return {**found, **dict(tried(found, known))}


# ---------------------------------------------------------------------------------------------------------- by trying
CANNOT = (
    BufferError,
    RuntimeError,
    TypeError,
    ValueError,
    IndexError,
    NotImplementedError,
    AttributeError,
    AssertionError,
)
CALLS = 12  # samples that are looked at for one with the argument
Call = tuple[Callable[..., Any], list[Any], dict[str, Any]]


def tried(found: dict[str, str], known: dict[str, OperatorSamples]) -> Iterator[tuple[str, str]]:
    """What is found by trying of those arguments of which neither samples nor docstrings say the dtypes."""
    for entry in operator_pages.entries():
        op = entry.op
        for name, parameter in inspect.signature(op).parameters.items():
            key, annotation = f"{label(op)}:{name}", str(parameter.annotation)
            said = said_of(op, name)
            if key in found or "Tensor" not in annotation or name == "out" or said is None or says_dtypes(said):
                continue
            at = [p.name for p in op.params].index(name)
            for call in calls(entry, known):
                if text := taken_by(call, name, at):
                    yield key, ("a number or a 0-d tensor; " if annotation.startswith("Number") else "") + text
                    break


ALL = [name for members in (*GROUPS.values(), " ".join(OF_A_GROUP)) for name in members.split()]


def calls(entry: operator_pages.Entry, known: dict[str, OperatorSamples]) -> Iterator[Call]:
    """Calls of an operator: those of its samples, then that of its example."""
    spec = next((known[n] for n in [*entry.functions, *entry.methods, entry.op.name] if n in known), None)
    if spec is not None:
        dtype = rushlight.float32 if rushlight.float32 in spec.dtypes else spec.dtypes[0]
        samples = (s for s in spec.generate(Make(dtype, 0)) if isinstance(s, Sample))
        yield from ((entry.op, list(s.args), dict(s.kwargs)) for s in islice(samples, CALLS))
    made: list[Call] = []

    class Watch(rushlight.overrides.TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if getattr(func, "__name__", "") == entry.op.name:
                made.append((func, list(args), dict(kwargs or {})))
            return func(*args, **(kwargs or {}))

    page = (operator_pages.FOLDER / entry.page).read_text()
    lines = [line[4:] for line in page.splitlines() if line.startswith((">>> ", "... "))]
    with Watch(), contextlib.redirect_stdout(None):
        exec("\n".join(lines), {"torch": rushlight})
    yield from reversed(made)


def taken_by(call: Call, name: str, at: int) -> str:
    """The dtypes with which a call works of an argument, in words; nothing where it has none, or takes no tensor."""
    func, args, kwargs = call
    spot = at if name not in kwargs and at < len(args) else name
    given = args[at] if spot == at else kwargs.get(name)
    if isinstance(given, str) or isinstance(given, (list, tuple)) and not tensors(given):
        return ""
    if given is None:  # a number broadcasts
        kwargs = {**kwargs, name: 2}
    # Without memory nothing is compiled; what needs values has some.
    device = "meta" if tensors(given) and works(func, *on(args, kwargs, "meta", {})) else "cpu"
    taken = {d for d in ALL if works(func, *on(args, kwargs, device, {spot: d}))}
    own = {t.dtype.name for t in tensors(given)}
    if at and taken == own and len(own) == 1:
        floats = {i: "float64" for i, a in [*enumerate(args), *kwargs.items()] if any(map(is_real, tensors(a)))}
        if works(func, *on(args, kwargs, device, {**floats, spot: "float64"})):
            return "of the input's dtype"
    return dtypes_text(taken, exact=True) if taken else ""


def tensors(value: Any) -> list[rushlight.Tensor]:
    """The tensors that an argument is or holds."""
    parts = value if isinstance(value, (list, tuple)) else [value]
    return [t for t in parts if isinstance(t, rushlight.Tensor)]


def is_real(t: rushlight.Tensor) -> bool:
    """Whether a tensor is of a floating dtype."""
    return t.is_floating_point()


def on(args: list[Any], kwargs: dict[str, Any], device: str, dtypes: dict[Any, str]) -> tuple[Any, Any]:
    """Arguments with copies of their tensors on a device, some of them in other dtypes."""

    def moved(value: Any, dtype: str | None) -> Any:
        if isinstance(value, (list, tuple)) and tensors(value):
            return type(value)(moved(v, dtype) for v in value)
        if dtype is not None and isinstance(value, (bool, int, float)):
            value = rushlight.tensor(value)
        if not isinstance(value, rushlight.Tensor):
            return value
        copied = value.detach().clone()
        return (copied if dtype is None else copied.to(getattr(rushlight, dtype))).to(device)

    return (
        [moved(a, dtypes.get(i)) for i, a in enumerate(args)],
        {k: moved(a, dtypes.get(k)) for k, a in kwargs.items()},
    )


def works(func: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> bool:
    """Whether a call is no error."""
    try:
        func(*args, **kwargs)
    except CANNOT:
        return False
    return True


def text() -> str:
    """The file."""
    groups: dict[str, list[str]] = {}
    for key, what in sorted(taken().items()):
        groups.setdefault(what, []).append(key)
    rows = ""
    for what, keys in groups.items():
        whole = " ".join(keys)  # (what fits into one line is not broken: the formatter would join it)
        lines = (
            [whole] if len(whole) <= 110 else textwrap.wrap(whole, 108, break_long_words=False, break_on_hyphens=False)
        )
        spaced = [line + " " * (i < len(lines) - 1) for i, line in enumerate(lines)]
        if len(spaced) == 1 and len(what) + len(spaced[0]) < 108:
            rows += f'    "{what}": "{spaced[0]}",\n'
        else:
            rows += f'    "{what}": (\n' + "".join(f'        "{line}"\n' for line in spaced) + "    ),\n"
    return HEAD + rows + "}\n"


def main() -> int:
    wanted = text()
    if "--check" in sys.argv:
        return int(FILE.read_text() != wanted)
    FILE.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
