"""Run PyTorch's own samples with other dtypes and at extremes, and print what part of the rows (an operator in a dtype)
passes.

    python tests/conformance/goals.py                          # the three sets, some 15 minutes on two cores at rest
    python tests/conformance/goals.py dtypes --seed 7 --ops '^special'

A row passes, too, where docs/differences.md has its operator and dtype, and every element of its samples that is not
PyTorch's is what mpmath or NumPy say (independent.py computes them). Fails below the goals. The samples are run by a
harness outside this repository, as for ratchet.py.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

from ratchet import HARNESS, HERE, rows_of  # noqa: E402

# Of each set: the harness's options, and the part of the rows that is to pass.
GOALS: dict[str, tuple[list[str], float]] = {
    "default": ([], 99.5),
    "dtypes": (["--dtypes", "float16,uint8,int8,int16,int32,complex128"], 99.5),
    "reference": (["--inputs", "reference", "--limit", "25"], 99.0),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(GOALS)}; default all")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--ops", default="", help="a regular expression searched in the operators' names")
    args = parser.parse_args()
    if unknown := set(args.sets) - set(GOALS):
        parser.error(f"there is no set {', '.join(sorted(unknown))}; there are {', '.join(GOALS)}")
    missed = False
    for name in args.sets or GOALS:
        options, goal = GOALS[name]
        rows = [
            row
            for row in rows_of(
                HERE / "independent.py",
                HARNESS,
                options=[*options, "--timeout", "300", "--seed", args.seed, *(["--ops", args.ops] if args.ops else [])],
            )
            if row["status"] != "skipped"
        ]
        left = [row for row in rows if row["status"] != "pass"]
        failing = [row for row in rows if row["status"] != "pass" or row.get("judged")]
        for row in left:
            print(f"{name}: {row['op']} {row['dtype']}: {row['status']}: {row['message'][:160]}")
        n = max(1, len(rows))
        passed = 100 * (n - len(left)) / n
        print(
            f"{name}: {len(rows)} rows; {100 * (n - len(failing)) / n:.2f} % pass, {passed:.2f} % with documented "
            f"values (goal {goal} %)",
            flush=True,
        )
        missed |= passed < goal
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
