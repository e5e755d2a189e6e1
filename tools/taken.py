"""Writes src/rushlight/inspection/taken.py: which shapes and dtypes the tensors of each operator have in its samples.

    python tools/taken.py           # write it
    python tools/taken.py --check   # say whether it is up to date, and write nothing

The documentation of arguments is made of it, without the samples.
"""

from __future__ import annotations

import os
import sys
import textwrap
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "src" / "rushlight" / "inspection" / "taken.py"
sys.path.insert(0, str(ROOT / "src"))
os.environ.setdefault("RUSHLIGHT_CACHE_DIR", str(ROOT / "build" / "test-kernels"))

import rushlight  # noqa: E402
from rushlight.core.dispatch import Operator  # noqa: E402
from rushlight.inspection.documentation import label  # noqa: E402
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


def dtypes_text(names: set[str]) -> str:
    """Dtypes in few words; nothing where they are of no family."""
    left, found = set(names), []
    for group, members in GROUPS.items():
        if set(members.split()) <= left:
            found.append(group)
            left -= {*members.split(), *(OF_A_GROUP if group == "floating point" else ())}
    if not left <= INDICES:  # of values that are written down in a sample, with the dtype that they happen to have
        return ""
    *most, last = found + sorted(left)
    return f"{', '.join(most)} or {last}" if most else last


def seen(op: Operator, name: str, known: dict[str, OperatorSamples]) -> dict[str, tuple[set[int], set[str]]]:
    """Of each argument that is a tensor: the numbers of dimensions, and the dtypes, that it has in the samples."""
    spec = known[name]
    found: dict[str, tuple[set[int], set[str]]] = {}
    names = [p.name for p in op.params]
    for i, dtype in enumerate(sorted(spec.dtypes, key=lambda d: d is not rushlight.float32)):
        drawn = (s for s in spec.generate(Make(dtype, 0)) if isinstance(s, Sample))
        for sample in drawn if i == 0 else islice(drawn, LOOKED_AT):
            for key, value in [*zip(names, sample.args), *sample.kwargs.items()]:
                if isinstance(value, rushlight.Tensor) and value.layout is rushlight.strided:
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
    return {key: texts.pop() for key, texts in said.items() if len(texts) == 1 and "" not in texts}


def text() -> str:
    """The file."""
    groups: dict[str, list[str]] = {}
    for key, what in sorted(taken().items()):
        groups.setdefault(what, []).append(key)
    rows = ""
    for what, keys in groups.items():
        lines = textwrap.wrap(" ".join(keys), 108, break_long_words=False, break_on_hyphens=False)
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
