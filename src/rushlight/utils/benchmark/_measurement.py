"""Times of a piece of code, and how they are shown."""

from __future__ import annotations

import dataclasses
import math
import statistics
import textwrap
from collections.abc import Iterable
from typing import Any, TypeVar

_T = TypeVar("_T")

UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_ENGLISH = {"s": "second", "ms": "millisecond", "us": "microsecond", "ns": "nanosecond"}


def select_unit(t: float) -> tuple[str, float]:
    """The unit in which a time is shown, and its seconds: the largest that the time reaches.

    Args:
        t: seconds.
    """
    unit = next((name for name, size in UNITS.items() if t >= size), "ns")
    return unit, UNITS[unit]


def unit_to_english(u: str) -> str:
    """A unit's name: "microsecond" for "us".

    Raises:
        KeyError: for another text than "s", "ms", "us" and "ns".
    """
    return _ENGLISH[u]


def trim_sigfig(x: float, n: int) -> float:
    """x rounded to n significant digits."""
    if x == 0:
        return 0.0
    return float(f"{x:.{max(n, 1) - 1}e}")


def ordered_unique(elements: Iterable[_T]) -> list[_T]:
    """The elements without repetitions, in order."""
    return list(dict.fromkeys(elements))


def _block(head: str, code: str) -> str:
    return f"{head}\n{textwrap.indent(code, '  ')}\n"


@dataclasses.dataclass(init=True, repr=False, eq=True, frozen=True)
class TaskSpec:
    """What was timed: the code, what it is called in tables, the number of threads."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """What was timed."""
        if self.label or "\n" not in self.stmt:
            return ": ".join(p for p in (self.label or self.stmt, self.sub_label) if p)
        return _block(f"stmt:{f' ({self.sub_label})' if self.sub_label else ''}", self.stmt)

    def setup_str(self) -> str:
        """The code that runs once before, where there is any."""
        if self.setup in ("", "pass"):
            return ""
        return _block("setup:", self.setup) if "\n" in self.setup else f"setup: {self.setup}"


class Measurement:
    """Times of one piece of code, in seconds a run.

    Args:
        number_per_run: runs in each raw time.
        raw_times: the times.
        task_spec: what was timed.
        metadata: anything.
    """

    def __init__(
        self, number_per_run: int, raw_times: list[float], task_spec: TaskSpec, metadata: dict[Any, Any] | None = None
    ) -> None:
        self.number_per_run, self.raw_times, self.task_spec, self.metadata = (
            number_per_run,
            raw_times,
            task_spec,
            metadata,
        )

    stmt = property(lambda self: self.task_spec.stmt)
    label = property(lambda self: self.task_spec.label)
    sub_label = property(lambda self: self.task_spec.sub_label)
    description = property(lambda self: self.task_spec.description)
    num_threads = property(lambda self: self.task_spec.num_threads)
    env = property(lambda self: self.task_spec.env or "Unspecified env")
    as_row_name = property(lambda self: self.sub_label or self.stmt or "[Unknown]")
    title = property(lambda self: self.task_spec.title)

    @property
    def significant_figures(self) -> int:
        """How many digits of the median the spread of the times leaves: half of the distance of the quartiles is one of
        the last.
        """
        spread = self.iqr / 2
        if not spread or not self.median:
            return 4
        return max(min(int(math.log10(self.median / spread) + 0.5) + 1, 5), 2)

    def meets_confidence(self, threshold: float = 0.1) -> bool:
        """Whether the quartiles are within `threshold` of the median of each other."""
        return bool(self.iqr / self.median < threshold)

    @property
    def has_warnings(self) -> bool:
        """Whether the times spread so much that they say little."""
        return not self.meets_confidence()

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """One measurement for each thing timed, with all the times of it; a run's time is what is kept of each."""
        grouped: dict[TaskSpec, list[Measurement]] = {}
        for m in measurements:
            grouped.setdefault(m.task_spec, []).append(m)
        return [
            Measurement(1, [t for m in group for t in m.times], spec, group[0].metadata)
            for spec, group in grouped.items()
        ]

    @property
    def times(self) -> list[float]:
        """Seconds a run, one for each raw time."""
        return [t / self.number_per_run for t in self.raw_times]

    mean = property(lambda self: statistics.fmean(self.times))
    median = property(lambda self: statistics.median(self.times))

    @property
    def iqr(self) -> float:
        """The distance between the first and the third quartile of the times."""
        if len(self.times) < 2:
            return 0.0
        first, _, third = statistics.quantiles(self.times, n=4, method="inclusive")
        return third - first

    def __repr__(self) -> str:
        median, n = self.median, len(self.raw_times)
        unit, size = select_unit(median)
        value = median / size
        threads = f"{self.num_threads} thread{'s' if self.num_threads > 1 else ''}"
        lines = [object.__repr__(self), self.title, self.description, self.task_spec.setup_str()]
        if n == 1:
            lines += [f"  {value:.2f} {unit}", f"  1 measurement, {self.number_per_run} runs , {threads}"]
        else:
            lines.append(f"  Median: {value:.2f} {unit}")
            if n > 3:
                first, _, third = (t / size for t in statistics.quantiles(self.times, n=4, method="inclusive"))
                lines.append(f"  IQR:    {third - first:.2f} {unit} ({first:.2f} to {third:.2f})")
            lines.append(f"  {n} measurements, {self.number_per_run} runs per measurement, {threads}")
            if self.has_warnings:
                lines.append(f"  WARNING: the quartiles are {self.iqr / median:.1%} of the median apart.")
        return "\n".join(line for line in lines if line)
