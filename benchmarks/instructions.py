"""How many instructions a small call takes, counted by valgrind: a figure that other work on the machine does not
change.

    python -m benchmarks.instructions [CASE ...] [--python PATH ...]      # PATH: an interpreter of another build, to
    compare with

A case is run in a process of its own 200 and then 1,200 times; the difference is a thousand calls, without starting and
importing. Dictionaries are ordered by PYTHONHASHSEED=0, so that two runs count alike; the kernels come from a cache of
this program's own, which a run before has filled: they are made for a processor without AVX-512, which valgrind lacks.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

FEW, MANY = 200, 1200


def cases(lib: Any) -> dict[str, Callable[[], Any]]:
    """The calls by name."""
    x, y, w = lib.ones(8, 8), lib.ones(8, 8), lib.ones(8, 8, requires_grad=True)

    def backward() -> None:
        (w * y).sum().backward()
        w.grad = None

    return {
        "add": lambda: x + y,
        "add_grad": lambda: w + y,
        "sum": lambda: x.sum(),
        "softmax": lambda: x.softmax(-1),
        "mm": lambda: x @ y,
        "view": lambda: x.view(64),
        "index": lambda: x[1],
        "slice": lambda: x[1:, None, ::2],
        "assign": lambda: x.__setitem__(1, 2.0),
        "zeros": lambda: lib.zeros(3, 3),
        "full_like": lambda: lib.full_like(x, 2.0),
        "arange": lambda: lib.arange(10),
        "rand": lambda: lib.rand(3, 3),
        "equal": lambda: lib.equal(x, y),
        "as_strided": lambda: x.as_strided((4, 4), (1, 2)),
        "in_place": lambda: x.mul_(y),
        "backward": backward,
    }


def count(python: str, case: str, cache: str) -> float:
    """Instructions of a call; `cache`: the folder for the kernels."""
    env = {**os.environ, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "RUSHLIGHT_CACHE_DIR": cache}
    # The file itself and not -m: its folder must not be the checkout, whose package would come before the other
    # build's.
    command = [python, os.path.abspath(__file__), "--run", case]
    subprocess.run([*command, str(FEW)], env=env, check=True)
    found = []
    for calls in (FEW, MANY):
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command, str(calls)],
            env=env,
            capture_output=True,
            text=True,
        )
        total = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode or total is None:
            sys.exit(f"valgrind failed: {done.stderr[-2000:]}")
        found.append(int(total[1]))
    return (found[1] - found[0]) / (MANY - FEW)


def main() -> None:
    """Print a line for each case: instructions per call of each interpreter, and the ratio of each to the first."""
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument("cases", nargs="*", help="names; all of them if none is given")
    args.add_argument(
        "--python",
        action="append",
        help="an interpreter; the first is what the others are compared with (default: this one)",
    )
    args.add_argument("--run", nargs=2, metavar=("CASE", "CALLS"), help="of a process that is counted")
    given = args.parse_args()
    if given.run:
        sys.path.append(str(Path(__file__).parents[1] / "tools"))
        importlib.import_module("processor").without_avx512()
        call = cases(importlib.import_module("rushlight"))[given.run[0]]
        for _ in range(int(given.run[1])):
            call()
        return
    pythons = given.python or [sys.executable]
    with tempfile.TemporaryDirectory() as cache:
        for case in given.cases or cases(importlib.import_module("rushlight")):
            found = [count(python, case, cache) for python in pythons]
            print(
                f"{case:10}", *(f"{n:10.0f}" for n in found), *(f"x{n / found[0]:.3f}" for n in found[1:]), flush=True
            )


if __name__ == "__main__":
    main()
