"""`Compare` shows measurements as tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rushlight.utils.benchmark._measurement import (
    Measurement,
    ordered_unique,
    select_unit,
    trim_sigfig,
    unit_to_english,
)


class Compare:
    """Tables of measurements: one for each label, with a row for each sub-label and a column for each description.

    Args:
        results: the measurements; those of one label, row and column are taken together.
    """

    def __init__(self, results: Iterable[Measurement]) -> None:
        self.results = list(results)
        self._trim = self._highlight = False

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Add measurements.

        Raises:
            ValueError: there is something else among them.
        """
        new = list(results)
        for found in new:
            if not isinstance(found, Measurement):
                raise ValueError(f"extend_results(): 'results' must be Measurements; found {type(found).__name__}")
        self.results += new

    def trim_significant_figures(self) -> None:
        """Show no more digits of each median than the spread of its times leaves."""
        self._trim = True

    def colorize(self, rowwise: bool = False) -> None:
        """Accepted: the table is plain text."""

    def highlight_warnings(self) -> None:
        """Add to medians whose times spread by more than a tenth the distance of their quartiles, in percent."""
        self._highlight = True

    def __str__(self) -> str:
        groups: dict[str | None, list[Measurement]] = {}
        for m in Measurement.merge(self.results):
            groups.setdefault(m.label, []).append(m)
        return "\n".join(self._table(label or "", group) for label, group in groups.items())

    def _cells(self, column: Sequence[Measurement | None], size: float) -> list[str]:
        """The cells of a column, of one width."""
        digits, values = 1, []
        for m in column:
            value = None if m is None else m.median / size
            if self._trim and m is not None and value:
                value = trim_sigfig(value, m.significant_figures)
            values.append(value)
        if self._trim:
            places = [_places(v, m.significant_figures) for v, m in zip(values, column) if v and m is not None]
            digits = min(places, default=0)
        numbers = ["" if v is None else f"{v:.{digits}f}" for v in values]
        wide = max(map(len, numbers))
        marks = [
            f" (! {m.iqr / m.median * 100:.0f}%)" if self._highlight and m is not None and m.has_warnings else ""
            for m in column
        ]
        tail = max(map(len, marks))
        return [number.rjust(wide) + mark.ljust(tail) for number, mark in zip(numbers, marks)]

    def _table(self, label: str, group: list[Measurement]) -> str:
        unit, size = select_unit(min(m.median for m in group))
        columns = ordered_unique(m.description or m.stmt for m in group)
        rows = ordered_unique((m.num_threads, m.env, m.as_row_name) for m in group)
        rows.sort(key=lambda row: row[0])
        found = {(m.num_threads, m.env, m.as_row_name, m.description or m.stmt): m for m in group}
        several = len({env for _, env, _ in rows}) > 1
        names = [f"  ({env})  {name}" if several else f"      {name}" for _, env, name in rows]
        cells = [self._cells([found.get((*row, c)) for row in rows], size) for c in columns]
        widths = [max(len(c), len(column[0])) for c, column in zip(columns, cells)]
        first = max(map(len, names))

        def line(name: str, texts: Iterable[str]) -> str:
            return "  |  ".join([name.ljust(first), *texts])

        head = line("", (c.center(w) for c, w in zip(columns, widths)))
        lines = [f"[{f' {label} '.center(len(head) - 2, '-')}]", head]
        for i, ((threads, _, _), name) in enumerate(zip(rows, names)):
            if i == 0 or rows[i - 1][0] != threads:
                lines.append(f"{threads} threads: ".ljust(len(head), "-"))
            lines.append(line(name, (column[i].rjust(w) for column, w in zip(cells, widths))))
        lines += ["", f"Times are in {unit_to_english(unit)}s ({unit})."]
        if self._highlight and any(m.has_warnings for m in group):
            lines.append("(! XX%) The quartiles of the times are XX % of the median apart.")
        return "\n".join([*lines, ""])

    def print(self) -> None:
        """Print the tables."""
        print(str(self))


def _places(value: float, digits: int) -> int:
    """The decimal places of a number's `digits` significant digits."""
    return max(0, digits - 1 - math.floor(math.log10(abs(value))))
