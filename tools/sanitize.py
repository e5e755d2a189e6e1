"""Run Python on the build with sanitizers (`python tools/build.py --sanitize`): the tests of the core, the fuzz, or
what is named.

    python tools/sanitize.py                 # what `make sanitize` runs
    python tools/sanitize.py -m pytest -n 0 tests/core        # any arguments of Python

AddressSanitizer sees what C and Cython do to malloc's memory, and the allocator makes every block one of malloc's in
that build; generated kernels are not instrumented. Anything found ends the process with a report, and so fails the test
that runs it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "build" / "sanitize" / "package"
TESTS = (
    "core",
    "system/test_fuzz.py",
    "system/test_threads.py",
    "system/test_faults.py",
    "system/test_sizes.py",
    "system/test_values.py",
    "operators/test_factories.py",
    "operators/test_random.py",
)
CALLS = 2000  # of the fuzz, a seed


def environment() -> dict[str, str]:
    """The variables under which Python loads instrumented modules."""
    libraries = [
        subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()
        for name in ("libasan.so", "libstdc++.so")
    ]
    return {
        **os.environ,
        # The runtime comes first, and the C++ library beside it: it looks up the function that throws when it starts.
        "LD_PRELOAD": " ".join(str(Path(p).resolve()) for p in libraries),
        # Python keeps memory to its end on purpose. A size that no memory holds is an error to be raised, and one of
        # the tests'.
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:handle_segv=0:max_allocation_size_mb=16384"
        ":detect_stack_use_after_return=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",  # Python's objects too
        "PYTHONPATH": str(PACKAGE),
        "RUSHLIGHT_CACHE_DIR": os.environ.get("RUSHLIGHT_CACHE_DIR", str(ROOT / "build" / "test-kernels")),
    }


def main() -> int:
    env = environment()
    if len(sys.argv) > 1:
        os.execve(sys.executable, [sys.executable, *sys.argv[1:]], env)
    where = subprocess.run(
        [sys.executable, "-c", "import rushlight; print(rushlight.core.tensor.__file__)"],
        env=env,
        capture_output=True,
        text=True,
    )
    if not where.stdout.startswith(str(PACKAGE)):
        sys.exit(f"the build with sanitizers does not load: {where.stdout}{where.stderr[-2000:]}")
    tests = [str(ROOT / "tests" / t) for t in TESTS if (ROOT / "tests" / t).exists()]
    programs = [
        [
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:logging",
            "-p",
            "no:cacheprovider",
            "-n",
            str(len(os.sched_getaffinity(0))),
            *tests,
        ]
    ]
    programs += [[str(ROOT / "tests" / "system" / "fuzz.py"), str(CALLS), str(seed)] for seed in (0, 1)]
    status = 0
    for program in programs:  # all of them: one report does not hide the next
        status |= subprocess.run([sys.executable, *program], env=env, cwd=ROOT).returncode != 0
    return status


if __name__ == "__main__":
    sys.exit(main())
