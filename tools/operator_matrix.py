"""Write docs/operators.md: every operator, its dtypes, and what each check of the operator suite says about it.

    python tools/operator_matrix.py             # run the checks and write the page
    python tools/operator_matrix.py --only sum  # print the rows of some operators (a regular expression)
"""
from __future__ import annotations

import argparse
import os
import re
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "operators.md"
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "ops")]
os.environ.setdefault("RUSHLIGHT_CACHE_DIR", str(ROOT / "build" / "test-kernels"))

HEAD = """# Operators

Made by `python tools/operator_matrix.py`; do not edit. `yes`: the check passes on the operator's samples
(`src/rushlight/ops/samples`). `-`: the check says nothing about it (no in-place variant, not differentiable, no NumPy
reference ...), or is left out for the reason given below the table. `NO`: it fails.

"""
COLUMNS = {"reference": "values", "dtypes": "dtypes", "inplace": "in-place", "out": "out=", "gradcheck": "reverse", "gradgradcheck": "double backward",
           "forward": "forward", "vmap": "vmap", "meta": "meta", "noncontiguous": "strides", "negative_strides": "negative strides", "empty": "empty",
           "unfused": "same bits unfused", "errors": "errors"}


def short(names: list[str]) -> str:
    """A list of dtypes in few words."""
    groups = {"float": {"float16", "bfloat16", "float32", "float64"}, "complex": {"complex64", "complex128"}, "int": {"int64", "int32", "int16", "int8", "uint8"},
              "bool": {"bool"}}
    left, found = set(names), []
    for group, members in groups.items():
        if members <= left:
            found.append(group)
            left -= members
    return " ".join(found + sorted(left))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="operators to run, a regular expression; prints, and writes nothing")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    from checks import CHECKS, Inapplicable, skipped

    from rushlight.testing.samples import load

    registry = load()
    names = sorted(n for n in registry if not options.only or re.search(options.only, n))
    lines = ["| operator | dtypes | " + " | ".join(COLUMNS.values()) + " |", "|" + " --- |" * (len(COLUMNS) + 2)]
    reasons: list[str] = []
    failed = 0
    for name in names:
        spec, row = registry[name], []
        for check in COLUMNS:
            reason = skipped(spec, check)
            if reason is not None:
                reasons.append(f"- `{name}`, {COLUMNS[check]}: {reason}.")
                row.append("-")
                continue
            try:
                CHECKS[check](spec)
                row.append("yes")
            except Inapplicable:
                row.append("-")
            except Exception as error:      # any failure is a cell of the table
                failed += 1
                row.append("NO")
                print(f"{name} {check}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
        lines.append(f"| `{name}` | {short([d.name for d in spec.dtypes])} | " + " | ".join(row) + " |")
    text = "\n".join(lines) + "\n"
    if options.only:
        print(text, end="")
    else:
        PAGE.write_text(HEAD + text + ("\nLeft out:\n\n" + "\n".join(reasons) + "\n" if reasons else ""))
        print(f"{len(names)} operators, {failed} failures, written to {PAGE.relative_to(ROOT)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
