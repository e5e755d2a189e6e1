"""Processes: fork after parallel work, no work when idle, and the time to import."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import rushlight as rl
from processes import in_its_own_process, printed

FORKS = 1000 if os.environ.get("RUSHLIGHT_SLOW") == "1" else 200


def parallel_work() -> float:
    """Enough work for every thread of the pool: pointwise, reduction and matrix product."""
    x = rl.ones(400_000)
    y = rl.ones(96, 96)
    return float((x * 2.0 + 1.0).sum().item()) + float((y @ y).sum().item())


def fork_after_parallel_work() -> None:
    expected = parallel_work()
    for k in range(FORKS):
        parallel_work()
        child = os.fork()
        if child == 0:
            signal.alarm(30)  # a hang ends the child, and the parent sees how
            os._exit(0 if parallel_work() == expected else 1)
        _, status = os.waitpid(child, 0)
        assert os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0, f"child {k}: status {status}"


def test_fork_after_parallel_work() -> None:
    # A process of its own: to fork the one that runs the tests, with all they leave in memory, takes long.
    in_its_own_process(__file__, "fork_after_parallel_work")


def test_a_grandchild_works_too() -> None:
    expected = parallel_work()
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        parallel_work()
        grandchild = os.fork()
        if grandchild == 0:
            os._exit(0 if parallel_work() == expected else 1)
        _, status = os.waitpid(grandchild, 0)
        os._exit(0 if status == 0 and parallel_work() == expected else 1)
    _, status = os.waitpid(child, 0)
    assert os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0, f"status {status}"


def test_idle_threads_use_no_processor() -> None:
    code = """if True:
        import time
        import rushlight as rl
        x = rl.ones(2_000_000)
        for _ in range(5):
            (x * 2.0).sum().item()
        time.sleep(0.3)                 # the pool goes to sleep
        before = time.process_time()
        time.sleep(1.0)
        print(time.process_time() - before)
    """
    used = float(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120).stdout
    )
    assert used < 0.02, f"{used:.3f} s of processor time in a second of idleness"


def test_import_leaves_the_heavy_packages_alone() -> None:
    code = "import sys, rushlight; print(*sorted({'numpy', 'llvmlite', 'scipy', 'torch'} & set(sys.modules)))"
    start = time.perf_counter()
    shown = printed("-c", code)
    print(f"import: {time.perf_counter() - start:.3f} s, the interpreter's start included")
    assert shown.split() == [], f"imported with the package: {shown}"
