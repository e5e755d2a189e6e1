"""Each case beside what this machine allows: time divided by the limit, for PyTorch and for rushlight.

    python -m benchmarks roofline [--only REGEX] [--cases FILE] [--rounds N] [--threads N] [--processor]
                                  [--out FOLDER]

The limit of a case is the longer of two times: for the bytes that it must read and write at the rates of the level of
memory where they lie, and for the operations that it must do at the rates of their dtypes (S. Williams, A. Waterman,
D. Patterson: Roofline, Communications of the ACM 52 (4), 2009). Rates are measured on the machine at hand, with all
threads at once, before the cases and after them, and the better ones count; the work is counted on the calls of the
case (`work.py`, `counts.py`).

A case that takes less than 100 us is about calls, and is left out after one look at it; so is one that hands its
memory to code whose operations nobody counts (a decoder of images). What a case of more than twice its limit does
besides stands in the table (`reasons.py`).

What is written: `roofline.md`, a table, the farthest from the limit first; `roofline.svg` and `roofline.png`,
operations a byte against operations a second of those cases that have operations to do, both axes logarithmic.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import turns
from benchmarks.roofline import machine, work
from benchmarks.roofline.machine import Limits
from benchmarks.roofline.reasons import reason
from benchmarks.roofline.work import Work
from rushlight.core import _native

LONG = 1e-4  # seconds from which on a case is about kernels, not about calls


class Row(NamedTuple):
    """A case: its work, and the times of PyTorch and rushlight, in seconds."""

    name: str
    work: Work
    theirs: float
    ours: float


def main(argv: list[str]) -> int:
    """Measure, print and write; the exit status counts cases of more than twice their limit without a reason."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks roofline", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="regular expression searched in the names")
    parser.add_argument("--cases", help="a Python file with another table of cases")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--budget", type=float, default=0.2, help="seconds per module and round")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--processor", action="store_true", help="with one thread: its time instead of the clock's")
    parser.add_argument("--out", type=Path, default=Path("benchmarks"), help="the folder that is written to")
    options = parser.parse_args(argv)

    import rushlight as rl

    limits = machine.measure(options.threads, options.processor)
    reference, target = (
        turns.Worker(m, options.threads, options.cases, options.processor) for m in ("torch", "rushlight")
    )
    rows, short, uncounted = [], 0, []
    for name, build in turns.table(options.cases).items():
        if not re.search(options.only, name):
            continue
        if target.time(name, 0) < LONG:
            short += 1
            continue
        rl.manual_seed(0)
        counted = work.count(build(rl))
        if counted.unknown:
            uncounted.append(name)
            continue
        pairs = [
            (reference.time(name, options.budget), target.time(name, options.budget)) for _ in range(options.rounds)
        ]
        theirs, ours = (statistics.median(p[k] for p in pairs) for k in (0, 1))
        rows.append(Row(name, counted, theirs, ours))
        print(_line(rows[-1], limits), flush=True)
    limits = limits.better(machine.measure(options.threads, options.processor))
    options.out.mkdir(parents=True, exist_ok=True)
    text = report(limits, rows, options.threads, short, uncounted)
    (options.out / "roofline.md").write_text(text)
    picture(limits, rows, options.out)
    print(f"\n{_summary(rows, limits)}\n{options.out / 'roofline.md'}, .svg and .png are written")
    unexplained = [row.name for row in rows if row.ours > 2 * row.work.seconds(limits) and not reason(row.name)]
    if unexplained:
        print(f"no reason is given for {', '.join(unexplained)} (benchmarks/roofline/reasons.py)")
    return len(unexplained)


def _line(row: Row, limits: Limits) -> str:
    least = row.work.seconds(limits)
    return (
        f"{row.name:36s} {row.ours * 1e6:10.1f} us {least * 1e6:10.1f} us least "
        f"{row.ours / least:7.2f}  (PyTorch {row.theirs / least:7.2f})"
    )


def _summary(rows: list[Row], limits: Limits) -> str:
    """The median and the worst."""
    found = [row.ours / row.work.seconds(limits) for row in rows]
    if not found:
        return "no case takes 100 us"
    return f"{len(found)} cases of at least 100 us: median {statistics.median(found):.2f}, worst {max(found):.2f}"


def processor() -> str:
    """What the system calls the processor, and what the kernels use of it."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    name = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "a processor")
    return f"{name} ({', '.join(sorted(_native.processor()))})"


def report(limits: Limits, rows: list[Row], threads: int, short: int = 0, uncounted: Sequence[str] = ()) -> str:
    """The table as Markdown: the machine first, then the cases, the farthest from the limit first.

    Args:
        limits: what the machine allows.
        rows: the cases.
        threads: how many threads there were.
        short: how many cases were left out because they take less than 100 us.
        uncounted: the names of those whose work nobody counts.
    """
    out = [f"# Roofline: {processor()}, {threads} threads", ""]
    out += ["| level | read GB/s | write GB/s | copy GB/s |", "|---|---|---|---|"]
    out += [
        f"| {name} | " + " | ".join(f"{r / 1e9:.0f}" for r in rates) + " |" for name, rates in limits.memory.items()
    ]
    out += ["", "| dtype | GFLOP/s |", "|---|---|"]
    out += [f"| {name} | {rate / 1e9:.0f} |" for name, rate in limits.operations.items()]
    left = [f"{short} that take less than 100 us"] * bool(short)
    left += [f"{', '.join(uncounted)}, whose work is not counted"] * bool(uncounted)
    out += ["", " ".join([f"Of {_summary(rows, limits)}.", *(f"Left out: {words}." for words in left)]), ""]
    out += [
        "| case | MB | operations, millions | limit, us | bound by | rushlight, us | rushlight / limit "
        "| PyTorch / limit | why more than 2 |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in sorted(rows, key=lambda row: -row.ours / row.work.seconds(limits)):
        w, least = row.work, row.work.seconds(limits)
        out.append(
            f"| {row.name} | {(w.read + w.written) / 1e6:.2f} | {w.total / 1e6:.1f} "
            f"| {least * 1e6:.1f} | {w.bound(limits)} "
            f"| {row.ours * 1e6:.1f} | {row.ours / least:.2f} | {row.theirs / least:.2f} "
            f"| {reason(row.name) if row.ours > 2 * least else ''} |"
        )
    return "\n".join(out) + "\n"


def picture(limits: Limits, rows: list[Row], folder: Path) -> None:
    """Draw the roofs and the cases below them."""
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(10, 6.5))
    low, high = 2.0**-4, 2.0**12
    steps = [low * 2 ** (k / 8) for k in range(8 * int(math.log2(high / low)) + 1)]
    for name, rates in limits.memory.items():
        top = limits.operations["float32"]
        axes.plot(steps, [min(x * rates.copy, top) / 1e9 for x in steps], color="0.6", linewidth=1)
        axes.annotate(name, (low * 1.1, low * 1.1 * rates.copy / 1e9), color="0.4", fontsize=8, va="bottom")
    for name in ("float64", "bfloat16"):
        axes.axhline(limits.operations[name] / 1e9, color="0.8", linewidth=1, linestyle="--")
        axes.annotate(
            name, (high / 1.1, limits.operations[name] / 1e9), color="0.4", fontsize=8, ha="right", va="bottom"
        )
    counted = [row for row in rows if row.work.total and row.work.read + row.work.written]
    for marker, color, label, seconds in (
        ("o", "tab:blue", "rushlight", [row.ours for row in counted]),
        ("x", "tab:orange", "PyTorch", [row.theirs for row in counted]),
    ):
        x = [row.work.total / (row.work.read + row.work.written) for row in counted]
        y = [row.work.total / s / 1e9 for row, s in zip(counted, seconds, strict=True)]
        axes.scatter(x, y, marker=marker, color=color, label=label, s=24)
    for row in counted:
        w = row.work
        place = (w.total / (w.read + w.written), w.total / row.ours / 1e9)
        axes.annotate(row.name.rpartition("/")[2], place, fontsize=6, xytext=(3, 3), textcoords="offset points")
    axes.set(xscale="log", yscale="log", xlim=(low, high), xlabel="operations a byte", ylabel="GFLOP/s")
    axes.set_title(processor())
    if counted:
        axes.legend(loc="lower right")
    figure.tight_layout()
    for kind in ("svg", "png"):
        figure.savefig(folder / f"roofline.{kind}", dpi=150)
    pyplot.close(figure)
