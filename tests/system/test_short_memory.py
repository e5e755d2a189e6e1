"""A process that is short of address space: a product raises MemoryError or works, and the next call works when there is room."""
from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import resource, sys, threading
import rushlight as rl
from rushlight import compiler
from rushlight.compiler import routines      # what a product imports, before memory is short

a = rl.ones(64, 64)
a + a, a.sum(), rl.ones(2, 2) @ rl.ones(2, 2)
def used():
    return int(open("/proc/self/statm").read().split()[0]) * 4096
opened = sys.argv[2] == "opened"
if opened:
    a @ a
hard = resource.getrlimit(resource.RLIMIT_AS)[1]
resource.setrlimit(resource.RLIMIT_AS, (used() + (int(sys.argv[1]) << 20), hard))
def calls():
    for call in (lambda: a @ a, lambda: rl.linalg.cholesky(rl.eye(64) * 4), lambda: rl.linalg.solve(rl.eye(64), a)):
        try:
            call()
        except MemoryError:
            pass
if opened:          # one call at a time has its buffer; others wait for it
    threads = [threading.Thread(target=calls) for _ in range(3)]
    try:
        for t in threads: t.start()
    except RuntimeError:
        pass        # no memory for a thread's stack
    for t in threads:
        if t.ident: t.join()
    assert (a @ a).sum().item() == 64.0**3
else:
    calls()
resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
assert (a @ a).sum().item() == 64.0**3
"""


@pytest.mark.parametrize("when", ["before", "opened"])
@pytest.mark.parametrize("room", [1, 25, 40, 60, 80, 95, 110])
def test_products_short_of_memory(room: int, when: str) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(room), when], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-2000:]}"
