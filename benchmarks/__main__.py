"""Time rushlight and PyTorch turn by turn, each in a process of its own, and print medians and ratios.

    python -m benchmarks [--only REGEX] [--rounds N] [--threads N] [--load N] [--processor]
    python -m benchmarks calls [--help]         what a call costs: the samples of every operator
    python -m benchmarks roofline [--help]      each case beside what the machine allows

A ratio under 1 means that rushlight is faster. Round r times the case in PyTorch, then in rushlight, so both see the
same machine in the same minutes; the ratio is the median of the rounds' ratios. --load: busy processes beside the
measurement. --processor: the time that a process has had on all its threads, which other programs change little.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys

from benchmarks.networks import CASES
from benchmarks.turns import Worker


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
    if sys.argv[1:2] == ["calls"]:
        from benchmarks import calls

        return calls.main(sys.argv[2:])
    if sys.argv[1:2] == ["roofline"]:
        from benchmarks import roofline

        return roofline.main(sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--only",
        default="^(?!compiler/|fourier/|vision/|networks/)",
        help="regular expression searched in the names (all but those of `pages.py`, `vision.py` and `networks.py`)",
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--budget", type=float, default=0.3, help="seconds per module and round")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--load", type=int, default=0, help="busy processes beside the measurement")
    parser.add_argument("--processor", action="store_true", help="time of the processor instead of the clock's")
    options = parser.parse_args()
    missed, ratios = 0, dict[str, list[float]]()
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.load)]
    try:
        reference, target = (Worker(m, options.threads, processor=options.processor) for m in ("torch", "rushlight"))
        print(f"{'case':28s} {'PyTorch':>12s} {'rushlight':>12s} {'ratio':>6s} {'bar':>6s}")
        for name, (bar, _) in CASES.items():
            if not re.search(options.only, name):
                continue
            pairs = [
                (reference.time(name, options.budget), target.time(name, options.budget)) for _ in range(options.rounds)
            ]
            ratio = statistics.median(t / r for r, t in pairs)
            ratios.setdefault(name.partition("/")[0], []).append(ratio)
            missed += ratio > bar
            theirs, ours = (statistics.median(p[k] for p in pairs) * 1e6 for k in (0, 1))
            print(
                f"{name:28s} {theirs:9.1f} us {ours:9.1f} us {ratio:6.2f} "
                f"{bar:6.2f}{'' if ratio <= bar else '  missed'}",
                flush=True,
            )
        for group, found in ratios.items():
            print(
                f"{group}: geometric mean {statistics.geometric_mean(found):.2f} of {len(found)}, "
                f"worst {max(found):.2f}"
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
