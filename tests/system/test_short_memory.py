"""A process that is short of address space: a product raises MemoryError or works, and the next call works when there
is room.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from processes import printed

PROGRAM = """
import resource, sys, threading
import rushlight as rl
from rushlight import compiler
from rushlight.compiler import routines  # what a product imports, before memory is short

a = rl.ones(64, 64)
a + a, a.sum(), rl.ones(2, 2) @ rl.ones(2, 2)
def used():
    return int(open("/proc/self/statm").read().split()[0]) * 4096
opened = sys.argv[2] == "opened"
go = threading.Event()
def calls():
    for call in (lambda: a @ a, lambda: rl.linalg.cholesky(rl.eye(64) * 4), lambda: rl.linalg.solve(rl.eye(64), a)):
        try:
            call()
        except MemoryError:
            pass
def waiting():
    go.wait()
    calls()
# They start before memory is short: the interpreter waits for ever for a thread that had no memory to begin.
threads = [threading.Thread(target=waiting) for _ in range(3 * opened)]
if opened:
    a @ a
    for t in threads: t.start()
hard = resource.getrlimit(resource.RLIMIT_AS)[1]
resource.setrlimit(resource.RLIMIT_AS, (used() + (int(sys.argv[1]) << 20), hard))
if opened:          # one call at a time has its buffer; others wait for it
    go.set()
    for t in threads: t.join()
    assert (a @ a).sum().item() == 64.0**3
else:
    calls()
resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
assert (a @ a).sum().item() == 64.0**3
"""


@pytest.mark.parametrize("when", ["before", "opened"])
@pytest.mark.parametrize("room", [1, 25, 40, 60, 80, 95, 110])
def test_products_short_of_memory(room: int, when: str) -> None:
    printed("-c", PROGRAM, room, when)


CALLS = """
import resource, sys
import rushlight as rl
from rushlight import compiler, fft, nn
from rushlight.compiler import routines

x = rl.ones(300, 300, requires_grad=True)
call = {
    "compile": lambda: (rl.rand(7, 5).cumsum(0).tanh() * 2).softmax(-1).sum().item(),
    "backward": lambda: (x * x).softmax(-1).logsumexp(0).sum().backward(),
    "conv": lambda: nn.functional.conv2d(rl.ones(2, 3, 64, 64), rl.ones(8, 3, 3, 3)).sum().item(),
    "fft": lambda: fft.fft(rl.ones(4096)).abs().sum().item(),
    "sort": lambda: rl.rand(100000).sort()[0].sum().item(),
    "save": lambda: (rl.save({"a": rl.ones(100, 100)}, sys.argv[3]), rl.load(sys.argv[3])["a"].sum().item()),
    "index": lambda: rl.ones(500, 500)[rl.arange(250) * 2].unique().sum().item(),
}[sys.argv[2]]
if sys.argv[2] == "save":
    call()          # what it imports: the interpreter's own import has no way to be short of memory
used = int(open("/proc/self/statm").read().split()[0]) * 4096
hard = resource.getrlimit(resource.RLIMIT_AS)[1]
resource.setrlimit(resource.RLIMIT_AS, (used + (int(sys.argv[1]) << 10), hard))
try:
    call()
except (MemoryError, ImportError) as error:      # ImportError: the system's loader found no room for a library
    pass
except RuntimeError as error:
    assert "unavailable" in str(error), error    # no memory for a thread's stack
resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
call()
"""


@pytest.mark.parametrize("room", [16, 600, 6_000, 30_000])
@pytest.mark.parametrize("call", ["compile", "backward", "conv", "fft", "sort", "save", "index"])
def test_calls_short_of_memory(call: str, room: int, tmp_path: Path) -> None:
    env = {**os.environ, "RUSHLIGHT_CACHE_DIR": str(tmp_path)} if call == "compile" else None
    done = subprocess.run(
        [sys.executable, "-c", CALLS, str(room), call, str(tmp_path / "x.pt")],
        capture_output=True,
        text=True,
        timeout=200,
        env=env,
    )
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-2000:]}"
