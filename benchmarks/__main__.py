"""Time rushlight and PyTorch turn by turn, each in a process of its own, and print medians and ratios.

    python -m benchmarks [--only REGEX] [--rounds N] [--load N]

A ratio under 1 means that rushlight is faster. Round r times the case in PyTorch, then in rushlight, so both see the
same machine in the same minutes; the ratio is the median of the rounds' ratios. --load: busy processes beside the
measurement.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time
from typing import Any, TextIO

from benchmarks.cases import CASES

REPEATS = 5  # the best of so many is one measurement


def serve(module: str, requests: TextIO, replies: TextIO) -> None:
    """Answer requests [case, seconds] with {"seconds": best time of one call}; runs in the worker process."""
    T = importlib.import_module(module)
    T.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    built: dict[str, tuple[Any, int]] = {}
    for line in requests:
        name, budget = json.loads(line)
        if name not in built:
            built.clear()
            T.manual_seed(0)
            run = CASES[name][1](T)
            run()
            start = time.perf_counter()
            run()
            once = time.perf_counter() - start
            built[name] = run, max(1, min(20000, int(budget / REPEATS / max(once, 1e-7))))
        run, number = built[name]
        best = math.inf
        for _ in range(REPEATS):
            start = time.perf_counter()
            for _ in range(number):
                run()
            best = min(best, (time.perf_counter() - start) / number)
        print(json.dumps({"seconds": best}), file=replies, flush=True)


class Worker:
    """A process that times cases on one module."""

    def __init__(self, module: str, threads: int) -> None:
        env = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads))
        command = [sys.executable, "-m", "benchmarks", "--serve", module]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)

    def time(self, name: str, budget: float) -> float:
        """Seconds of one call of a case."""
        assert self.process.stdin is not None and self.process.stdout is not None
        print(json.dumps([name, budget]), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{name}: the worker ended with status {self.process.wait()}")
        return float(json.loads(line)["seconds"])


def fresh(code: str, *launcher: str) -> float:
    """The number that a piece of code prints in a fresh process, the least of five."""
    return min(
        float(
            subprocess.run([sys.executable, *launcher, "-c", code], capture_output=True, text=True, check=True).stdout
        )
        for _ in range(5)
    )


def import_seconds(module: str) -> float:
    """Seconds to import a module."""
    return fresh(f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)")


# Resident memory of the process in MB.
RESIDENT = "print(next(int(line.split()[1]) for line in open('/proc/self/status') if line.startswith('VmRSS')) / 1000)"


def import_memory(module: str, *launcher: str) -> float:
    """MB by which a process grows that imports a module, against one that imports nothing."""
    return fresh(f"import {module}\n{RESIDENT}", *launcher) - fresh(RESIDENT)


def main() -> int:
    """Run the table; the exit status counts the bars that were missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--only", default="", help="regular expression searched in the names")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--budget", type=float, default=0.3, help="seconds per module and round")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--load", type=int, default=0, help="busy processes beside the measurement")
    options = parser.parse_args()
    if options.serve:
        replies = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)
        serve(options.serve, sys.stdin, replies)
        return 0
    missed = 0
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.load)]
    try:
        reference, target = Worker("torch", options.threads), Worker("rushlight", options.threads)
        print(f"{'case':28s} {'PyTorch':>12s} {'rushlight':>12s} {'ratio':>6s} {'bar':>6s}")
        for name, (bar, _) in CASES.items():
            if not re.search(options.only, name):
                continue
            pairs = [
                (reference.time(name, options.budget), target.time(name, options.budget)) for _ in range(options.rounds)
            ]
            ratio = statistics.median(t / r for r, t in pairs)
            missed += ratio > bar
            theirs, ours = (statistics.median(p[k] for p in pairs) * 1e6 for k in (0, 1))
            print(
                f"{name:28s} {theirs:9.1f} us {ours:9.1f} us {ratio:6.2f} "
                f"{bar:6.2f}{'' if ratio <= bar else '  missed'}",
                flush=True,
            )
        if re.search(options.only, "import"):
            theirs, ours = import_seconds("torch"), import_seconds("rushlight")
            missed += ours > 0.15
            print(
                f"{'import':28s} {theirs * 1e6:9.0f} us {ours * 1e6:9.0f} us {ours / theirs:6.2f}   0.15 "
                f"s{'' if ours <= 0.15 else '  missed'}"
            )
            for name, launcher, module in (
                ("memory of the import", (), "rushlight"),
                ("memory as torch", ("-m", "rushlight"), "torch"),
            ):
                theirs, ours = import_memory("torch"), import_memory(module, *launcher)
                missed += ours > 25
                print(
                    f"{name:28s} {theirs:9.1f} MB {ours:9.1f} MB {ours / theirs:6.2f}  25 "
                    f"MB{'' if ours <= 25 else '  missed'}"
                )
    finally:
        for p in busy:
            p.kill()
    return missed


if __name__ == "__main__":
    sys.exit(main())
