"""Timing pieces of code with care: `Timer`, its `Measurement`s, and tables that compare them."""

from __future__ import annotations

import dataclasses
import math
import statistics
import textwrap
import time
import timeit
from collections.abc import Callable, Iterable
from typing import Any

import rushlight

__all__ = ["Compare", "Measurement", "TaskSpec", "Timer", "timer"]

timer = time.perf_counter


_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def _scaled(seconds: float) -> tuple[float, str]:
    unit = next((name for name, size in _UNITS.items() if seconds >= size), "ns")
    return seconds / _UNITS[unit], unit


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
        _, unit = _scaled(median)
        value = median / _UNITS[unit]
        threads = f"{self.num_threads} thread{'s' if self.num_threads > 1 else ''}"
        lines = [object.__repr__(self), self.title, self.description, self.task_spec.setup_str()]
        if n == 1:
            lines += [f"  {value:.2f} {unit}", f"  1 measurement, {self.number_per_run} runs , {threads}"]
        else:
            lines.append(f"  Median: {value:.2f} {unit}")
            if n > 3:
                first, _, third = (t / _UNITS[unit] for t in statistics.quantiles(self.times, n=4, method="inclusive"))
                lines.append(f"  IQR:    {third - first:.2f} {unit} ({first:.2f} to {third:.2f})")
            lines.append(f"  {n} measurements, {self.number_per_run} runs per measurement, {threads}")
            if self.has_warnings:
                lines.append(f"  WARNING: the quartiles are {self.iqr / median:.1%} of the median apart.")
        return "\n".join(line for line in lines if line)


class Timer:
    """Times a statement.

    Args:
        stmt: Python code.
        setup: run once before.
        globals: the names it sees.
        timer: the clock.
        label, sub_label, description: for tables.
        num_threads: of the library's pool while timing.
        env: for tables.
        language, global_setup: Python alone is timed.

    Raises:
        NotImplementedError: for another language.
    """

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Any = "python",
    ) -> None:
        if global_setup or str(getattr(language, "name", language)).lower() not in ("python", "py"):
            raise NotImplementedError("Timer(): only Python statements are timed")
        self.stmt, self.num_threads = stmt, num_threads
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)
        names = {"torch": rushlight, "rushlight": rushlight, **(globals or {})}
        self._timer = timeit.Timer(stmt=stmt, setup=setup, timer=timer, globals=names)

    def _time(self, number: int) -> float:
        threads = rushlight.get_num_threads()
        rushlight.set_num_threads(self.num_threads)
        try:
            return self._timer.timeit(number)
        finally:
            rushlight.set_num_threads(threads)

    def timeit(self, number: int = 1_000_000) -> Measurement:
        """The time of `number` runs, after some to warm up."""
        self._time(max(number // 100, 2))
        return Measurement(number, [self._time(number)], self._task_spec)

    def _runs(self, seconds: float) -> int:
        number = 1
        while True:
            took = self._time(number)
            if took >= seconds / 10:
                return max(1, int(number * min(10.0, seconds / max(took, 1e-9)))) if took < seconds else number
            number *= 10

    def blocked_autorange(
        self, callback: Callable[[int, float], None] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Times of blocks of runs, as many as take `min_run_time` seconds."""
        number = self._runs(min_run_time / 10)
        times: list[float] = []
        while sum(times) < min_run_time:
            times.append(self._time(number))
            if callback is not None:
                callback(number, times[-1])
        return Measurement(number, times, self._task_spec)

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callable[[int, float], None] | None = None,
    ) -> Measurement:
        """Times of blocks of runs, until their quartiles are within `threshold` of the median, or `max_run_time` is
        over.
        """
        number = self._runs(min_run_time)
        times: list[float] = []
        while True:
            times.append(self._time(number))
            if callback is not None:
                callback(number, times[-1])
            found = Measurement(number, times, self._task_spec)
            if sum(times) >= max_run_time or (len(times) >= 4 and found.iqr <= threshold * found.median):
                return found


class Compare:
    """A table of measurements: a row for each sub-label, a column for each description.

    Args:
        results: the measurements.
    """

    def __init__(self, results: Iterable[Measurement]) -> None:
        self.results = list(results)
        self._trim = self._highlight = False

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Add measurements."""
        self.results += list(results)

    def trim_significant_figures(self) -> None:
        """Show no more digits of each median than the spread of its times leaves."""
        self._trim = True

    def colorize(self, rowwise: bool = False) -> None:
        """Accepted: the table is plain text."""

    def highlight_warnings(self) -> None:
        """Mark medians whose times spread by more than a tenth with (!)."""
        self._highlight = True

    def _cell(self, m: Measurement) -> str:
        value, unit = _scaled(m.median)
        digits = max(0, m.significant_figures - 1 - max(0, int(math.log10(max(value, 1e-9))))) if self._trim else 1
        return f"{value:.{digits}f} {unit}{' (!)' if self._highlight and m.has_warnings else ''}"

    def __str__(self) -> str:
        columns = list(dict.fromkeys(m.description or m.stmt for m in self.results))
        rows = list(dict.fromkeys((m.num_threads, m.sub_label or m.stmt) for m in self.results))
        cells = {(m.num_threads, m.sub_label or m.stmt, m.description or m.stmt): self._cell(m) for m in self.results}
        table = [["", *columns]] + [
            [
                f"{name} ({threads} thread{'s' if threads > 1 else ''})",
                *(cells.get((threads, name, c), "") for c in columns),
            ]
            for threads, name in rows
        ]
        widths = [max(len(row[i]) for row in table) for i in range(len(columns) + 1)]
        title = next((m.label for m in self.results if m.label), "")
        return "\n".join(
            [f"[{title}]" if title else "", *("  ".join(c.rjust(w) for c, w in zip(row, widths)) for row in table)]
        ).strip("\n")

    def print(self) -> None:
        """Print the table."""
        print(str(self))
