"""Compare the operators that pass PyTorch's own samples with the committed record; fail when one has got worse.

    python tests/conformance/ratchet.py            # compare
    python tests/conformance/ratchet.py --update   # write the counts of this run to ratchet.json
    python tests/conformance/ratchet.py --update --add sin cos

The samples are run by harnesses outside this repository, ../shared/conformance/opdb.py and opderiv.py (nine checks of
derivatives and transforms), with PyTorch as the reference (`make parity` installs it). Without them this fails, unless
RATCHET_OPTIONAL=1 is set.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HARNESS = ROOT.parent / "shared" / "conformance" / "opdb.py"
DERIVATIVES = HARNESS.with_name("opderiv.py")
RECORD = HERE / "ratchet.json"


TOGETHER = HERE / "together.py"


def runs_of(options: list[str]) -> dict[str, list[str]]:
    """Each run of the samples by the mark of its rows ("" for the first): the harness's options."""
    plain = [o for o in options if o != "--grad"]  # the gradient is the operator's, whatever it is called by
    return {
        "": options,
        "method": [*plain, "--variant", "method"],
        "inplace": [*plain, "--variant", "inplace"],
        # A few samples in the other dtypes, and a few of the larger set with extremal values and odd strides: those
        # take minutes whatever their number.
        "dtypes": ["--dtypes", "float16,uint8,int8,int16,int32,complex128", "--limit", "2"],
        "reference": ["--inputs", "reference", "--dtypes", "float32,complex64", "--limit", "4"],
    }


SLOW_ROWS = 5  # of a check of derivatives may run out of time: that is the machine's doing


def harness_process(scripts: list[Path], options: list[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, scripts), *options]
    # The harness forks processes with the module already imported: let it find this checkout's.
    env = dict(os.environ, PYTHONPATH=str(ROOT / "src"))
    return subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def result_of(done: subprocess.CompletedProcess[str], out: Path) -> Any:
    if not out.exists():
        sys.exit(f"ratchet: the harness gave no result (exit status {done.returncode}):\n{done.stdout[-4000:]}")
    return json.loads(out.read_text())


def rows_of(*scripts: Path, options: list[str]) -> list[dict[str, Any]]:
    """The rows that a harness (or a script that runs one) prints: a dict for each operator and dtype (and check)."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        done = harness_process(list(scripts), ["--module", "rushlight", "--json", str(out), *options])
        return result_of(done, out)["rows"]  # type: ignore[no-any-return]


def run_all(operators: list[str], runs: dict[str, list[str]]) -> list[dict[str, Any]]:
    """The rows of all runs, each with its mark; of the last, "derivatives", all operators."""
    pattern = "^(" + "|".join(map(re.escape, operators)) + ")$"
    chosen = {
        mark: options if mark == "derivatives" else ["--ops", pattern, *options] for mark, options in runs.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        given, out = Path(folder) / "runs.json", Path(folder) / "out.json"
        given.write_text(json.dumps(chosen))
        done = harness_process([TOGETHER, HARNESS, DERIVATIVES, given, out], [])
        return result_of(done, out)  # type: ignore[no-any-return]


def samples_passed(rows: list[dict[str, Any]]) -> dict[str, int]:
    """The number of samples passed for each "operator dtype", with the run's mark after it."""
    return {
        f"{row['op']} {row['dtype']}" + (f" ({row['mark']})" if row["mark"] else ""): row["counts"].get("pass", 0)
        for row in rows
        if row["status"] != "skipped" and row["mark"] != "derivatives"
    }


def operators_passed(rows: list[dict[str, Any]]) -> tuple[dict[str, int], dict[str, int]]:
    """For each of the nine checks of derivatives and transforms, the number of operators that pass, and of those that
    ran out of time.
    """
    rows = [row for row in rows if row["mark"] == "derivatives"]
    checks = sorted({row["check"] for row in rows})
    return tuple(
        {c: sum(row["check"] == c and row["status"] == status for row in rows) for c in checks}
        for status in ("pass", "timeout")
    )  # type: ignore[return-value]


def drops(record: dict[str, int], found: dict[str, int]) -> list[str]:
    """What got worse: a line for each row of the record that passes fewer samples now."""
    return [
        f"{row}: {found.get(row, 0)} samples pass, {count} did"
        for row, count in sorted(record.items())
        if found.get(row, 0) < count
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write this run's counts")
    parser.add_argument("--add", nargs="+", default=[], metavar="OP", help="operators to add to the record")
    args = parser.parse_args()
    data: dict[str, Any] = json.loads(RECORD.read_text())
    if not HARNESS.exists():
        print(f"ratchet: there is no conformance harness at {os.path.relpath(HARNESS, ROOT)} (beside the checkout)")
        return 0 if os.environ.get("RATCHET_OPTIONAL") == "1" else 1
    operators = sorted({*data["operators"], *args.add})
    if not operators:
        print("ratchet: ratchet.json lists no operator")
        return 1
    rows = run_all(operators, {**runs_of(data["options"]), "derivatives": data["derivatives"]["options"]})
    found = samples_passed(rows)
    if not any(found.values()):
        print("ratchet: not one sample passes")
        return 1
    if not data["passes"] and not args.update:
        print("ratchet: ratchet.json records no counts yet; write them with --update")
        return 1
    worse = drops(data["passes"], found)
    derivatives = data["derivatives"]
    passing, slow = operators_passed(rows)
    worse += [
        f"{check}: {passing.get(check, 0)} operators pass, {count} did"
        for check, count in derivatives["passes"].items()
        if passing.get(check, 0) + min(slow.get(check, 0), SLOW_ROWS) < count
    ]
    if args.update:
        data.update(
            operators=operators, passes=dict(sorted(found.items())), derivatives={**derivatives, "passes": passing}
        )
        RECORD.write_text(json.dumps(data, indent=1) + "\n")
    for line in worse:
        print("ratchet:", line)
    better = sum(count > data["passes"].get(row, 0) for row, count in found.items())
    print(
        "ratchet: derivatives and transforms: "
        + ", ".join(f"{check} {n}" + (f" (+{slow[check]} slow)" if slow[check] else "") for check, n in passing.items())
    )
    print(
        f"ratchet: {len(operators)} operators, {sum(found.values())} samples pass, {len(worse)} rows worse"
        + (f", {better} rows better (record them with --update)" if better and not args.update else "")
    )
    return 1 if worse and not args.update else 0


if __name__ == "__main__":
    sys.exit(main())
