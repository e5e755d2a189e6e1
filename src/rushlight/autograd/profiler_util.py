"""The results of a profile: events, averages of them, and tables."""

from __future__ import annotations

import functools
import gzip
import json
import os
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "Interval"]


def format_time(us: float) -> str:
    """A time, given in microseconds, as a text with a suitable unit."""
    if us >= 1e6:
        return f"{us / 1e6:.3f}s"
    return f"{us / 1e3:.3f}ms" if us >= 1e3 else f"{us:.3f}us"


def flops_unit(flops: float) -> tuple[str, float]:
    """A suitable unit for a number of floating point operations, and how many operations it stands for."""
    for unit, size in (("TFLOPs", 1e12), ("GFLOPs", 1e9), ("MFLOPs", 1e6)):
        if flops >= size:
            return unit, size
    return "KFLOPs", 1e3


def format_memory(nbytes: int) -> str:
    """A number of bytes as a text with a suitable unit."""
    for unit, size in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if abs(nbytes) >= size:
            return f"{nbytes / size:.2f} {unit}"
    return f"{nbytes} B"


class Interval:
    """A range of time in microseconds."""

    def __init__(self, start: float, end: float) -> None:
        self.start, self.end = start, end

    def elapsed_us(self) -> float:
        """The length of the range."""
        return self.end - self.start

    def __repr__(self) -> str:
        return f"{self.start:.3f}us..{self.end:.3f}us"


class _Times:
    """The attributes for times; those of devices other than the CPU are 0."""

    count: int
    cpu_time_total: float
    self_cpu_time_total: float
    device_time_total = self_device_time_total = cuda_time_total = self_cuda_time_total = 0.0
    device_memory_usage = self_device_memory_usage = 0
    flops: float = 0
    is_async = is_remote = is_legacy = False
    use_device = None

    @property
    def cpu_time(self) -> float:
        """Microseconds per call."""
        return self.cpu_time_total / self.count if self.count else 0.0

    device_time = cuda_time = property(lambda self: 0.0)
    cpu_time_str = property(lambda self: format_time(self.cpu_time))
    cpu_time_total_str = property(lambda self: format_time(self.cpu_time_total))
    self_cpu_time_total_str = property(lambda self: format_time(self.self_cpu_time_total))
    device_time_str = device_time_total_str = self_device_time_total_str = property(lambda self: format_time(0.0))


def _shown(event: FunctionEvent | FunctionEventAvg, *names: str) -> str:
    return f"<{type(event).__name__} {' '.join(f'{name}={getattr(event, name)}' for name in names)}>"


class FunctionEvent(_Times):
    """One call of an operator, one run of a node of a backward, or one range that the program has named."""

    def __init__(
        self,
        id: int,
        name: str,
        thread: int,
        start_us: float,
        end_us: float,
        input_shapes: list[Any] | None = None,
        stack: list[str] | None = None,
        cpu_memory_usage: int = 0,
        is_user_annotation: bool = False,
        flops: float = 0,
    ) -> None:
        self.id, self.name, self.thread = id, name, thread
        self.time_range = Interval(start_us, end_us)
        self.count = 1
        self.input_shapes, self.stack = input_shapes or [], stack or []
        self.input_dtypes: list[str] = []
        self.flops = flops
        self.cpu_memory_usage, self.is_user_annotation = cpu_memory_usage, is_user_annotation
        self.cpu_parent: FunctionEvent | None = None
        self.cpu_children: list[FunctionEvent] = []

    @property
    def key(self) -> str:
        """The name by which events are averaged."""
        return self.name

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]
        """The microseconds from begin to end."""
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self) -> float:  # type: ignore[override]
        """The microseconds, without those of the events inside."""
        return self.cpu_time_total - sum(c.cpu_time_total for c in self.cpu_children)

    @property
    def self_cpu_memory_usage(self) -> int:
        """The bytes of results, without those of the events inside."""
        return self.cpu_memory_usage - sum(c.cpu_memory_usage for c in self.cpu_children)

    def __repr__(self) -> str:
        return _shown(
            self, "id", "name", "thread", "cpu_time_total_str", "time_range", "input_shapes", "cpu_memory_usage"
        )


class FunctionEventAvg(_Times):
    """The events of one name, taken together."""

    def __init__(self) -> None:
        self.key: str | None = None
        self.count = 0
        self.cpu_time_total = self.self_cpu_time_total = 0.0
        self.cpu_memory_usage = self.self_cpu_memory_usage = 0
        self.input_shapes: list[Any] = []
        self.stack: list[str] = []
        self.is_user_annotation = False
        self.cpu_parent: FunctionEvent | None = None

    def add(self, other: Any) -> FunctionEventAvg:
        """Add an event, or another average."""
        if self.key is None:
            for name in ("key", "input_shapes", "stack", "is_user_annotation", "cpu_parent"):
                setattr(self, name, getattr(other, name))
        for name in (
            "count",
            "flops",
            "cpu_time_total",
            "self_cpu_time_total",
            "cpu_memory_usage",
            "self_cpu_memory_usage",
        ):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    __iadd__ = add

    def __repr__(self) -> str:
        return _shown(
            self, "key", "count", "self_cpu_time_total_str", "cpu_time_str", "input_shapes", "cpu_memory_usage"
        )


class EventList(list[Any]):
    """Events, or averages of them.

    Args:
        args: the arguments of a list.
        profile_memory, with_shapes: whether tables have columns for memory and for shapes.
        allocated: pairs of a time in microseconds and the number of bytes that tensors held then.
        uses: for each of these times, the bytes of each of `profiler_memory.CATEGORIES`.
        metadata: further keys of a trace, with their values.
    """

    def __init__(
        self,
        *args: Iterable[Any],
        profile_memory: bool = False,
        with_shapes: bool = False,
        allocated: Sequence[tuple[float, int]] = (),
        uses: Sequence[Sequence[int]] = (),
        metadata: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(*args)
        self._profile_memory, self._with_shapes = profile_memory, with_shapes
        self.allocated, self.uses = list(allocated), [list(row) for row in uses]
        self.metadata = metadata if metadata is not None else {}

    @property
    def self_cpu_time_total(self) -> float:
        """The microseconds of all events, each without the events inside it."""
        return cast("float", sum(e.self_cpu_time_total for e in self))

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """The events averaged by name and, if wanted, by the shapes of inputs or the innermost lines of the stack."""
        groups: OrderedDict[Any, FunctionEventAvg] = OrderedDict()
        for e in self:
            key = (e.key, str(e.input_shapes) if group_by_input_shape else "", tuple(e.stack[:group_by_stack_n]))
            groups.setdefault(key, FunctionEventAvg()).add(e)
        for g in groups.values():
            g.stack = g.stack[:group_by_stack_n]
            if not group_by_input_shape:
                g.input_shapes = []
        return EventList(groups.values(), profile_memory=self._profile_memory, with_shapes=group_by_input_shape)

    def total_average(self) -> FunctionEventAvg:
        """All events as one average."""
        total = functools.reduce(FunctionEventAvg.add, self, FunctionEventAvg())
        total.key = "Total"
        return total

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """The events as a table.

        Args:
            sort_by: the attribute by which rows are sorted, largest first (`cpu_time_total`, `self_cpu_time_total`,
                `count`, ...).
            row_limit: the maximal number of rows; -1 shows all.
            header: a line above the table.
            top_level_events_only: whether events inside others are left out.

        Raises:
            AttributeError: events lack the attribute.
        """
        rows = list(self)
        if sort_by is not None:
            rows.sort(key=lambda e: getattr(e, sort_by), reverse=True)
        if top_level_events_only:
            rows = [e for e in rows if getattr(e, "cpu_parent", None) is None]
        total = self.self_cpu_time_total

        def percent(part: float) -> str:
            return f"{part / total * 100:.2f}%" if total else "NaN"

        def cut(text: str, width: int) -> str:
            return text if len(text) <= width else text[: width - 3] + "..."

        columns: list[tuple[str, Callable[[Any], str]]] = [
            ("Name", lambda e: cut(str(e.key), max_name_column_width)),
            ("Self CPU %", lambda e: percent(e.self_cpu_time_total)),
            ("Self CPU", lambda e: e.self_cpu_time_total_str),
            ("CPU total %", lambda e: percent(e.cpu_time_total)),
            ("CPU total", lambda e: e.cpu_time_total_str),
            ("CPU time avg", lambda e: e.cpu_time_str),
        ]
        if self._profile_memory:
            columns += [
                ("CPU Mem", lambda e: format_memory(e.cpu_memory_usage)),
                ("Self CPU Mem", lambda e: format_memory(e.self_cpu_memory_usage)),
            ]
        columns.append(("# of Calls", lambda e: str(e.count)))
        if any(e.flops for e in rows):
            unit, size = flops_unit(max(e.flops for e in rows))
            columns.append((f"Total {unit}", lambda e: f"{e.flops / size:.3f}" if e.flops else "--"))
        if self._with_shapes:
            columns.append(("Input Shapes", lambda e: cut(str(e.input_shapes), max_shapes_column_width)))
        if any(e.stack for e in rows):
            columns.append(("Source Location", lambda e: cut(e.stack[0] if e.stack else "", max_src_column_width)))
        cells = [[text(e) for _, text in columns] for e in (rows if row_limit < 0 else rows[:row_limit])]
        # Columns are as wide as PyTorch's: of numbers 12, of texts their longest and 4, if that is not too much.
        most = {"Name": max_name_column_width, "Input Shapes": max_shapes_column_width}
        texts = {"Name": [str(e.key) for e in rows], "Input Shapes": [str(e.input_shapes) for e in rows]}
        most["Source Location"], texts["Source Location"] = (
            max_src_column_width,
            [line for e in rows for line in e.stack[:1]],
        )
        widths = [
            min(max(map(len, texts[name]), default=0) + 4, most[name]) if name in most else 12 for name, _ in columns
        ]

        def line(cells: Iterable[str]) -> str:
            return "".join(f"{cell:>{width}}  " for cell, width in zip(cells, widths))

        rule = line("-" * width for width in widths)
        lines = ["=" * len(rule), header] if header else []
        if top_level_events_only:
            lines += ["=" * len(rule), "This table has the events that are inside no other."]
        lines += [rule, line(name for name, _ in columns), rule, *map(line, cells), rule]
        return "\n".join([*lines, f"Self CPU time total: {format_time(total)}", ""])

    def __str__(self) -> str:
        return self.table()

    def export_chrome_trace(self, path: str) -> None:
        """Write the events to a file for chrome://tracing and Perfetto, compressed if its path ends in .gz."""
        pid = os.getpid()
        threads = list(dict.fromkeys(e.thread for e in self)) or [pid]
        events: list[dict[str, Any]] = [
            {
                "ph": "M",
                "name": "process_name",
                "ts": 0,
                "pid": pid,
                "tid": 0,
                "args": {"name": sys.argv[0] or "python"},
            }
        ]
        for t in threads:
            name = f"thread {t}" + " (main)" * (t == pid)
            events.append({"ph": "M", "name": "thread_name", "ts": 0, "pid": pid, "tid": t, "args": {"name": name}})
        for e in self:
            about: dict[str, Any] = {"External id": e.id}
            if e.input_shapes:
                about |= {"Input Dims": e.input_shapes, "Input type": e.input_dtypes}
            if e.stack:
                about["Call stack"] = ";".join(e.stack)
            if e.flops:
                about["flops"] = e.flops
            kind = "user_annotation" if e.is_user_annotation else "cpu_op"
            place = {"pid": pid, "tid": e.thread, "ts": e.time_range.start, "dur": e.cpu_time_total}
            events.append({"ph": "X", "cat": kind, "name": e.name, **place, "args": about})
        before = self.allocated[0][1] if self.allocated else 0
        for at, held in self.allocated:
            what = {"Total Allocated": held, "Bytes": held - before, "Device Type": 0, "Device Id": -1}
            place = {"pid": pid, "tid": threads[0], "ts": at}
            events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", **place, "args": what})
            events.append({"ph": "C", "name": "memory", **place, "args": {"bytes": held}})
            before = held
        opened = gzip.open(path, "wt") if str(path).endswith(".gz") else open(path, "w")
        with opened as f:
            json.dump({"schemaVersion": 1, "displayTimeUnit": "ms", **self.metadata, "traceEvents": events}, f)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write the events' stacks with a metric to a file from which flame graphs are drawn.

        Raises:
            ValueError: the metric is not measured.
        """
        if metric not in self.supported_export_stacks_metrics():
            raise ValueError(f"'metric' must be one of {self.supported_export_stacks_metrics()}; found {metric!r}")
        with open(path, "w") as f:
            for e in self:
                if e.stack and int(getattr(e, metric)) > 0:
                    f.write(
                        ";".join(reversed([line.replace(" ", "_") for line in e.stack]))
                        + f" {int(getattr(e, metric))}\n"
                    )

    @staticmethod
    def supported_export_stacks_metrics() -> list[str]:
        """The metrics that export_stacks can write."""
        return ["self_cpu_time_total"]
