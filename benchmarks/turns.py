"""Two modules with PyTorch's API, each in a process of its own, timed turn by turn: both see the same machine in the
same minutes.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

Build = Callable[[Any], Callable[[], Any]]
REPEATS = 5  # the best of so many is one measurement


def table(path: str | None) -> dict[str, Build]:
    """The cases of this folder, or of another file that has a `CASES` of the same form: name -> (anything, case)."""
    if path is None:
        from benchmarks.networks import CASES

        return {name: build for name, (_, build) in CASES.items()}
    spec = importlib.util.spec_from_file_location("other_cases", path)
    if spec is None or spec.loader is None:
        raise ValueError(f"--cases must be a Python file; found {path!r}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: build for name, (_, build) in module.CASES.items()}


def serve(module: str, cases: str | None, processor: bool, requests: TextIO, replies: TextIO) -> None:
    """Answer requests [case, seconds] with {"seconds": best time of one call}; runs in the worker process."""
    now = time.process_time if processor else time.perf_counter
    T = importlib.import_module(module)
    tensors = hasattr(T, "set_num_threads")  # (jax has neither threads to set nor a stream of random numbers)
    if tensors:
        T.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    builds = table(cases)
    built: dict[str, tuple[Callable[[], Any], int]] = {}
    for line in requests:
        name, budget = json.loads(line)
        if name not in built:
            built.clear()
            if tensors:
                T.manual_seed(0)
            run = builds[name](T)
            run()
            start = now()
            run()
            once = now() - start
            built[name] = run, max(1, min(20000, int(budget / REPEATS / max(once, 1e-7))))
        run, number = built[name]
        best = math.inf
        for _ in range(REPEATS):
            start = now()
            for _ in range(number):
                run()
            best = min(best, (now() - start) / number)
        print(json.dumps({"seconds": best}), file=replies, flush=True)


class Worker:
    """A process that times cases on one module; processor: by the time that all its threads have had; python: what runs
    it.
    """

    def __init__(
        self, module: str, threads: int, cases: str | None = None, processor: bool = False, python: str = sys.executable
    ) -> None:
        env = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads))
        if module == "jax" and threads == 1:
            env["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        command = [python, "-m", "benchmarks.turns", module, str(int(processor)), *([cases] if cases else [])]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)

    def time(self, name: str, budget: float) -> float:
        """Seconds of one call of a case."""
        assert self.process.stdin is not None and self.process.stdout is not None
        print(json.dumps([name, budget]), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{name}: the worker ended with status {self.process.wait()}")
        return float(json.loads(line)["seconds"])


if __name__ == "__main__":
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a case prints is not a reply
    serve(sys.argv[1], sys.argv[3] if len(sys.argv) > 3 else None, sys.argv[2] == "1", sys.stdin, out)
