"""Compare the operators that pass PyTorch's own samples with the committed record; fail when one has got worse.

    python tests/conformance/ratchet.py            # compare
    python tests/conformance/ratchet.py --update   # write the counts of this run to ratchet.json
    python tests/conformance/ratchet.py --update --add sin cos

The samples are run by a harness outside this repository, ../shared/conformance/opdb.py, with PyTorch as the reference
(`make parity` installs it). Without the harness this fails, unless RATCHET_OPTIONAL=1 is set.
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
RECORD = HERE / "ratchet.json"


VARIANTS = ("function", "method", "inplace")


def run_harness(operators: list[str], options: list[str], variant: str) -> dict[str, int]:
    """Run the samples of `operators` in a variant; returns the number of samples passed for each "operator dtype", with the variant's name after it."""
    pattern = "^(" + "|".join(map(re.escape, operators)) + ")$"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        command = [sys.executable, str(HARNESS), "--module", "rushlight", "--ops", pattern, "--json", str(out), "--variant", variant, *options]
        # The harness forks a process per row with the module already imported: let it find this checkout's.
        env = dict(os.environ, PYTHONPATH=str(ROOT / "src"))
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if not out.exists():
            sys.exit(f"ratchet: the harness gave no result (exit status {done.returncode}):\n{done.stdout[-4000:]}")
        rows = json.loads(out.read_text())["rows"]
    suffix = "" if variant == "function" else f" ({variant})"
    return {f"{row['op']} {row['dtype']}{suffix}": row["counts"].get("pass", 0) for row in rows if row["status"] != "skipped"}


def drops(record: dict[str, int], found: dict[str, int]) -> list[str]:
    """What got worse: a line for each row of the record that passes fewer samples now."""
    return [f"{row}: {found.get(row, 0)} samples pass, {count} did" for row, count in sorted(record.items())
            if found.get(row, 0) < count]


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
    found: dict[str, int] = {}
    for variant in VARIANTS:
        # The gradient is the operator's, whatever it is called by.
        options = [o for o in data["options"] if variant == "function" or o != "--grad"]
        found |= run_harness(operators, options, variant)
    if not any(found.values()):
        print("ratchet: not one sample passes")
        return 1
    if not data["passes"] and not args.update:
        print("ratchet: ratchet.json records no counts yet; write them with --update")
        return 1
    worse = drops(data["passes"], found)
    if args.update:
        data.update(operators=operators, passes=dict(sorted(found.items())))
        RECORD.write_text(json.dumps(data, indent=1) + "\n")
    for line in worse:
        print("ratchet:", line)
    better = sum(count > data["passes"].get(row, 0) for row, count in found.items())
    print(f"ratchet: {len(operators)} operators, {sum(found.values())} samples pass, {len(worse)} rows worse"
          + (f", {better} rows better (record them with --update)" if better and not args.update else ""))
    return 1 if worse and not args.update else 0


if __name__ == "__main__":
    sys.exit(main())
