"""Runs a program twice: under Python's profiler, and under the profiler of operators; prints the machine and the
longest of both.
"""

from __future__ import annotations

import cProfile
import io
import pstats
import runpy
import sys
from pathlib import Path

from rushlight.autograd.profiler import profile
from rushlight.compat.alias import install
from rushlight.utils.collect_env import get_pretty_env_info

_USAGE = "usage: python -m rushlight.utils.bottleneck SCRIPT [ARGS]\nruns SCRIPT twice and shows where its time goes"
_ROWS = 15


def _run(script: str) -> None:
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        if end.code not in (None, 0):
            raise


def main(arguments: list[str]) -> int:
    """Profile the program that the arguments name. Returns the exit status: 2 when there is no such file."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_USAGE)
        return 0 if arguments else 2
    script = arguments[0]
    if not Path(script).is_file():
        print(f"bottleneck: SCRIPT must be a file; found {script!r}", file=sys.stderr)
        return 2
    install()
    sys.argv = arguments
    sys.path.insert(0, str(Path(script).resolve().parent))
    functions = cProfile.Profile()
    functions.enable()
    try:
        _run(script)
    finally:
        functions.disable()
    with profile() as operators:
        _run(script)
    out = io.StringIO()
    pstats.Stats(functions, stream=out).sort_stats("tottime").print_stats(_ROWS)
    for title, text in (
        ("Environment", get_pretty_env_info()),
        ("Python's functions, by their own time", out.getvalue()),
        (
            "Operators, by their own time",
            operators.key_averages().table(sort_by="self_cpu_time_total", row_limit=_ROWS),
        ),
    ):
        print(f"{'-' * 80}\n  {title}\n{'-' * 80}\n{text}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
