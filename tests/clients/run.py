"""Run the clients of a folder on rushlight and, when asked, on PyTorch, and compare with the committed record; fail
when one has got worse.

    python tests/clients/run.py --clients FOLDER                 # all; --quick: those of CI; --only NAME ...
    python tests/clients/run.py --clients FOLDER --reference     # on PyTorch too: `make parity` installs it
    python tests/clients/run.py --clients FOLDER --reference --update    # write the record and the table of
    docs/programs.md

Each client is copied to a scratch folder before it runs, for some write beside themselves. The packages that the
clients need (requirements.txt) lie in a folder of their own, `make programs` puts them there.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
from table import CLIENTS, Client, Command  # noqa: E402

RECORD = ROOT / "tests" / "conformance" / "ratchet.json"
PAGE = ROOT / "docs" / "programs.md"
MARK = "<!-- the table is written by tests/clients/run.py -->"


@dataclass
class Outcome:
    """What became of a client."""

    passed: int = 0
    failed: int = 0
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)


def _environment(client: Client, root: Path, packages: Path, kernels: Path, reference: bool) -> dict[str, str]:
    path = [
        *([str(HERE / "reference")] if reference else []),
        *(str(root / p) for p in client.path),
        str(packages),
        *filter(None, [os.environ.get("PYTHONPATH")]),
    ]
    programs = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])  # "python" is this one
    return {
        **os.environ,
        "PATH": programs,
        "PYTHONPATH": os.pathsep.join(path),
        "RUSHLIGHT_CACHE_DIR": str(kernels),
        "MPLBACKEND": "Agg",
        "SDL_VIDEODRIVER": "dummy",
        "HF_HUB_OFFLINE": "1",
        "WANDB_MODE": "disabled",
        **dict(client.environment),
    }


def _execute(command: Command, root: Path, environment: dict[str, str], launcher: list[str]) -> tuple[int | None, str]:
    """The exit status, None for one that took too long, and what was printed."""
    process = subprocess.Popen(
        [sys.executable, *launcher, *command.arguments],
        cwd=root / command.folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        text = process.communicate(timeout=command.seconds)[0]
        return process.returncode, text
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return None, process.communicate()[0]


def _counts(text: str) -> tuple[int, int]:
    """Tests passed and not passed, by pytest's closing line; subtests count as tests."""
    closing = next(
        (
            line
            for line in reversed(text.splitlines())
            if re.search(r"\b(passed|failed|error|errors) in |no tests ran", line)
            or re.search(r"\d+ (passed|failed|errors?)\b.* in [\d.]+s", line)
        ),
        "",
    )
    found = {"good": 0, "bad": 0}
    for count, word in re.findall(r"(\d+) (?:subtests )?(passed|failed|errors?)\b", closing):
        found["good" if word == "passed" else "bad"] += int(count)
    return found["good"], found["bad"]


def run(client: Client, clients: Path, packages: Path, launcher: list[str], show: bool) -> Outcome:
    """Run a client in a scratch copy; `launcher` is what stands between python and the command."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "client"
        shutil.copytree(HERE if client.folder is None else clients / client.folder, root, copy_function=shutil.copyfile)
        if client.prepare is not None:
            client.prepare(root)
        environment = _environment(client, root, packages, ROOT / "build" / "test-kernels", not launcher)
        for command in client.commands:
            start = time.perf_counter()
            status, text = _execute(command, root, environment, launcher)
            outcome.seconds += time.perf_counter() - start
            if client.suite is not None and status is not None:
                good, bad = _counts(text)
            else:
                good, bad = (1, 0) if status == 0 else (0, 1)
            outcome.passed, outcome.failed = outcome.passed + good, outcome.failed + bad
            if bad or not good:
                lines = [
                    line for line in text.splitlines() if line.startswith(("FAILED", "SUBFAILED", "ERROR"))
                ] or text.splitlines()[-1:]
                how = "took too long" if status is None else f"exit status {status}"
                outcome.notes.append(
                    f"{command.folder}/{' '.join(command.arguments[:2])}: {how}: " + "; ".join(lines)[:2000]
                )
                if show:
                    print(text)
    return outcome


def _table(rows: dict[str, dict[str, Any]]) -> str:
    lines = ["| client | passed on PyTorch | passed here | time here ÷ time there |", "| --- | --- | --- | --- |"]
    for name, row in rows.items():
        lines.append(
            f"| {name} | {'not run yet' if row['reference'] is None else row['reference']} | {row['passed']} | "
            f"{row['ratio']} |"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=Path, required=True, help="the folder that holds the clients")
    parser.add_argument(
        "--packages",
        type=Path,
        default=ROOT / "build" / "clients",
        help="the folder with the packages of requirements.txt",
    )
    parser.add_argument("--quick", action="store_true", help="leave out the long ones")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="clients by name")
    parser.add_argument("--reference", action="store_true", help="run on PyTorch too")
    parser.add_argument("--update", action="store_true", help="write this run's counts, and the table")
    parser.add_argument("--show", action="store_true", help="print what failed in full")
    args = parser.parse_args()
    data: dict[str, Any] = json.loads(RECORD.read_text())
    record: dict[str, dict[str, Any]] = data.setdefault("programs", {})
    chosen = [c for c in CLIENTS if (args.only is None or c.name in args.only) and (c.quick or not args.quick)]
    if not chosen:
        sys.exit(f"programs: --only names none of {', '.join(c.name for c in CLIENTS)}")
    worse: list[str] = []
    total = Outcome()
    for client in chosen:
        here = run(client, args.clients.resolve(), args.packages.resolve(), ["-m", "rushlight"], args.show)
        row = record.get(client.name, {"reference": None, "passed": 0, "ratio": ""})
        line = f"programs: {client.name}: {here.passed} pass, {here.failed} fail, {here.seconds:.0f} s"
        if here.passed < row["passed"]:
            worse.append(f"{client.name}: {here.passed} pass, {row['passed']} did")
        row = {**row, "passed": here.passed}
        if args.reference:
            there = run(client, args.clients.resolve(), args.packages.resolve(), [], False)
            line += f"; PyTorch: {there.passed} pass, {there.failed} fail, {there.seconds:.0f} s"
            row.update(reference=there.passed, ratio=f"{here.seconds / there.seconds:.2f}")
        print(line, flush=True)
        for note in here.notes:
            print(f"programs:   {note}", flush=True)
        if args.update:
            record[client.name] = row
        total.passed, total.failed, total.seconds = (
            total.passed + here.passed,
            total.failed + here.failed,
            total.seconds + here.seconds,
        )
    if args.update:
        order = [c.name for c in CLIENTS]
        data["programs"] = dict(sorted(record.items(), key=lambda item: order.index(item[0])))
        RECORD.write_text(json.dumps(data, indent=1) + "\n")
        before, _, _ = PAGE.read_text().partition(MARK)
        PAGE.write_text(f"{before}{MARK}\n\n{_table(data['programs'])}\n")
    for line in worse:
        print("programs:", line)
    print(
        f"programs: {len(chosen)} clients, {total.passed} tests and programs pass, {total.failed} fail, {len(worse)} "
        f"clients worse, {total.seconds:.0f} s"
    )
    return 1 if worse and not args.update else 0


if __name__ == "__main__":
    sys.exit(main())
