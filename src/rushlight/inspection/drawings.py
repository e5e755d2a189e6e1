"""Drawings of a profile: a flame graph of its events, and the memory that tensors held over time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from rushlight.autograd.profiler_memory import CATEGORIES
from rushlight.autograd.profiler_util import format_memory, format_time
from rushlight.inspection.report import Drawing, Report, Table

__all__ = ["flame_graph", "memory_page"]

_WIDTH, _ROW = 1200, 18
_COLOURS = ("#f4b183", "#f7c59f", "#efaa7b", "#f2bd8c", "#e9a26b")


class Frame:
    """A place in the flame graph: a name below others, with the time that was spent there."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.total = 0.0
        self.inner: dict[str, Frame] = {}

    def below(self, name: str) -> Frame:
        """The frame of a name within this one."""
        if name not in self.inner:
            self.inner[name] = Frame(name)
        return self.inner[name]

    def depth(self) -> int:
        """How many frames lie on one another, this one among them."""
        return 1 + max((f.depth() for f in self.inner.values()), default=0)


def frames_of(events: Iterable[Any]) -> Frame:
    """The events of a profile by what they lie in: lines of the program where stacks were recorded, and events."""
    root = Frame("all")
    for e in events:
        way = []
        around = e
        while around is not None:
            way.append(around.name)
            around = around.cpu_parent
        frame, spent = root, e.self_cpu_time_total
        frame.total += spent
        for name in [*reversed(e.stack), *reversed(way)]:
            frame = frame.below(name)
            frame.total += spent
    return root


def flame_graph(profile: Any, path: str | Path) -> None:
    """Write a flame graph of a profile: the wider, the longer; what lies below calls what lies above.

    Args:
        profile: of torch.profiler or torch.autograd.profiler, ended; with_stack=True shows the program's lines too.
        path: where the SVG is written.
    """
    root = frames_of(profile.events() if hasattr(profile, "events") else profile.function_events)
    high = root.depth() * _ROW
    boxes: list[str] = []

    def draw(frame: Frame, left: float, level: int) -> None:
        wide = frame.total / root.total * _WIDTH if root.total else _WIDTH
        if wide < 0.5:
            return
        top = high - (level + 1) * _ROW
        share = f" ({frame.total / root.total:.1%})" if root.total else ""
        room = int((wide - 6) // 7)
        text = frame.name if len(frame.name) <= room else frame.name[: room - 1] + "\u2026" if room > 2 else ""
        boxes.append(
            f"<g><title>{escape(frame.name)}: {format_time(frame.total)}{share}</title>"
            f'<rect x="{left:.1f}" y="{top}" width="{wide:.1f}" height="{_ROW - 1}" '
            f'fill="{_COLOURS[sum(frame.name.encode()) % len(_COLOURS)]}"/>'
            f'<text x="{left + 3:.1f}" y="{top + 13}">{escape(text)}</text></g>'
        )
        for inner in frame.inner.values():
            draw(inner, left, level + 1)
            left += inner.total / root.total * _WIDTH if root.total else 0

    draw(root, 0.0, 0)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {high}" width="{_WIDTH}" height="{high}" '
        f'role="img" aria-label="flame graph" font-family="ui-monospace, monospace" font-size="11">'
        f"{''.join(boxes)}</svg>\n"
    )
    Path(path).write_text(svg, encoding="utf-8")


_SHADES = ("#1b7f4d", "#c98a00", "#55555f", "#8e6fd8", "#d0402b", "#2f6fed", "#7aa7f7", "#a9a9b2")


def memory_page(held: Sequence[tuple[float, int]], uses: Sequence[Sequence[int]]) -> str:
    """A page of the bytes that tensors held over time, and what for.

    Args:
        held: pairs of microseconds and bytes, in their order.
        uses: for each of them the bytes of each category.

    Returns:
        The HTML.
    """
    report = Report()
    most = max((sum(row) for row in uses), default=0)
    first, last = (held[0][0], held[-1][0]) if held else (0.0, 0.0)
    report.say(f"at most {format_memory(max((n for _, n in held), default=0))}, in {format_time(last - first)}")
    tops = [max(column) for column in zip(*uses, strict=True)] or [0] * len(CATEGORIES)
    shown = [k for k in range(len(CATEGORIES)) if tops[k]]
    if most and last > first:
        high = 300
        across = [(at - first) / (last - first) * _WIDTH for at, _ in held]
        areas, under = "", [0] * len(uses)
        for k in shown:
            over = [n + row[k] for n, row in zip(under, uses, strict=True)]
            edges = [steps_of(across, [high - n / most * high for n in edge]) for edge in (over, under)]
            areas += f'<polygon points="{" ".join([*edges[0], *reversed(edges[1])])}" fill="{_SHADES[k]}"/>'
            under = over
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {high}" width="{_WIDTH}" height="{high}" '
            f'role="img" aria-label="bytes held over time, by what they are for">{areas}</svg>'
        )
        report.add(Drawing(svg, ""))
        marks = "".join(
            f'<rect x="0" y="{20 * i}" width="14" height="14" fill="{_SHADES[k]}"/>'
            f'<text x="22" y="{20 * i + 12}" fill="currentColor">{CATEGORIES[k]}</text>'
            for i, k in enumerate(shown)
        )
        size = f'width="200" height="{20 * len(shown)}"'
        report.add(Drawing(f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-size="13">{marks}</svg>', ""))
    report.add(Table("the most at a time", ("for", "bytes"), [(CATEGORIES[k], f"{tops[k]:,}") for k in shown]))
    return report.html("Memory held by tensors")


def steps_of(across: Sequence[float], heights: Sequence[float]) -> list[str]:
    """The points of a line that stays where it is until it jumps."""
    points, before = [], heights[0]
    for x, y in zip(across, heights, strict=True):
        points += [f"{x:.1f},{before:.1f}", f"{x:.1f},{y:.1f}"]
        before = y
    return points
