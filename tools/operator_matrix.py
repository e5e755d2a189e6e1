"""Write docs/operators.md: every operator, its dtypes, and what each check of the operator suite says about it.

    python tools/operator_matrix.py             # run the checks and write the page
    python tools/operator_matrix.py --only sum  # print the rows of some operators (a regular expression)
    python tools/operator_matrix.py -j 4        # with four processes (default: as many as processors)

Values are compared with the NumPy reference beside the samples where there is one, else with PyTorch, which must be
installed then. A cell without a result has a letter, and below the table stands what it means.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import string
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "operators.md"
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "operators"), str(ROOT / "tests" / "parity")]
os.environ.setdefault("RUSHLIGHT_CACHE_DIR", str(ROOT / "build" / "test-kernels"))
os.environ.setdefault("OMP_NUM_THREADS", "1")  # a process per processor: nobody gains by threads within

HEAD = """# Operators: what has been checked

Made by `python tools/operator_matrix.py`; do not edit. `yes`: the check (`tests/operators/checks.py`) passes on the
operator's samples (`src/rushlight/operators/samples`); under values, `torch` says that the reference was PyTorch.
`NO`: it fails. A letter: the check says nothing about the operator, for the reason given below the table. What an
operator does, with an example: [operators by shape class](operators/index.md).

"""
COLUMNS = {
    "reference": "values",
    "dtypes": "dtypes",
    "inplace": "in-place",
    "out": "out=",
    "gradcheck": "reverse",
    "gradgradcheck": "double backward",
    "forward": "forward",
    "vmap": "vmap",
    "meta": "meta",
    "noncontiguous": "strides",
    "negative_strides": "negative strides",
    "empty": "empty",
    "unfused": "same bits unfused",
    "errors": "errors",
    "new_values": "new values compile nothing",
    "jitted": "same bits as a traced function",
    "jitted_writes": "writes to results as a traced function",
}


def short(names: list[str]) -> str:
    """A list of dtypes in few words."""
    groups = {
        "float": {"float16", "bfloat16", "float32", "float64"},
        "complex": {"complex64", "complex128"},
        "int": {"int64", "int32", "int16", "int8", "uint8"},
        "bool": {"bool"},
    }
    left, found = set(names), []
    for group, members in groups.items():
        if members <= left:
            found.append(group)
            left -= members
    return " ".join(found + sorted(left))


def compare_with_torch(name: str) -> None:
    """The values of an operator without a NumPy reference, by the test that compares them with PyTorch's."""
    import pytest
    from checks import Inapplicable
    from test_operators import test_forward

    try:
        test_forward(name)
    except pytest.skip.Exception as why:
        raise Inapplicable(f"no NumPy reference, and {str(why)[:1].lower()}{str(why)[1:]}") from None


def row(name: str) -> tuple[str, list[tuple[str, str]]]:
    """What the checks say of an operator: for each column ("yes" | "torch" | "NO" | "", the reason or the failure)."""
    from checks import CHECKS, Inapplicable, skipped

    from rushlight.testing.samples import load

    warnings.simplefilter("ignore")
    spec = load()[name]
    cells: list[tuple[str, str]] = []
    for check in COLUMNS:
        reason = skipped(spec, check)
        if reason is not None:
            cells.append(("", reason))
            continue
        try:
            by_torch = check == "reference" and spec.reference is None
            if by_torch:
                compare_with_torch(name)
            else:
                CHECKS[check](spec)
            cells.append(("torch" if by_torch else "yes", ""))
        except Inapplicable as why:
            cells.append(("", str(why)))
        except Exception as error:  # any failure is a cell of the table
            cells.append(("NO", f"{type(error).__name__}: {str(error)[:300]}"))
    return name, cells


def letters() -> Iterator[str]:
    """a, b, ..., z, aa, ab, ..."""
    yield from string.ascii_lowercase
    for first in string.ascii_lowercase:
        for second in string.ascii_lowercase:
            yield first + second


def rows(names: list[str], jobs: int) -> dict[str, list[tuple[str, str]]]:
    """The row of each operator; progress goes to standard error."""
    found: dict[str, list[tuple[str, str]]] = {}
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for name, cells in pool.imap_unordered(row, names, chunksize=4):
            found[name] = cells
            for check, (result, text) in zip(COLUMNS, cells, strict=True):
                if result == "NO":
                    print(f"{name} {check}: {text}", file=sys.stderr)
            if sys.stderr.isatty():
                print(f"\r{len(found)} of {len(names)}", end="", file=sys.stderr)
    return found


def table(registry: dict[str, Any], found: dict[str, list[tuple[str, str]]]) -> str:
    """The table and the meaning of its letters."""
    reasons: dict[str, int] = {}
    for cells in found.values():
        for result, why in cells:
            if not result:
                reasons[why] = reasons.get(why, 0) + 1
    letter = dict(zip(sorted(reasons, key=lambda r: (-reasons[r], r)), letters()))
    lines = ["| operator | dtypes | " + " | ".join(COLUMNS.values()) + " |", "|" + " --- |" * (len(COLUMNS) + 2)]
    for name in sorted(found):
        cells = [result or letter[why] for result, why in found[name]]
        lines.append(f"| `{name}` | {short([d.name for d in registry[name].dtypes])} | " + " | ".join(cells) + " |")
    totals = []
    for k, title in enumerate(COLUMNS.values()):
        results = [cells[k][0] for cells in found.values()]
        totals.append(f"{title} {sum(r in ('yes', 'torch') for r in results)}/{sum(bool(r) for r in results)}")
    text = (
        "\n".join(lines)
        + f"\n\n{len(found)} operators. Checks that pass, of those that say something: "
        + ", ".join(totals)
        + ".\n"
    )
    return text + (
        "\nThe letters:\n\n" + "\n".join(f"- {k}: {why} ({reasons[why]})" for why, k in letter.items()) + "\n"
        if letter
        else ""
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="operators to run, a regular expression; prints, and writes nothing")
    parser.add_argument("-j", "--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes")
    options = parser.parse_args()
    from rushlight.testing.samples import load

    registry = load()
    names = sorted(n for n in registry if not options.only or re.search(options.only, n))
    found = rows(names, max(1, min(options.jobs, len(names))))
    text = table(registry, found)
    failed = sum(result == "NO" for cells in found.values() for result, _ in cells)
    if options.only:
        print(text, end="")
    else:
        PAGE.write_text(HEAD + text)
        print(f"{len(names)} operators, {failed} failures, written to {PAGE.relative_to(ROOT)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
