"""Drawings of a profile: a flame graph of its events, and the memory that tensors held over time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from rushlight.autograd.profiler_util import format_memory, format_time
from rushlight.inspection.report import Drawing, Report

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


def memory_page(held: Sequence[tuple[float, int]]) -> str:
    """A page of the bytes that tensors held over time.

    Args:
        held: pairs of microseconds and bytes, in their order.

    Returns:
        The HTML.
    """
    report = Report()
    most = max((n for _, n in held), default=0)
    first, last = (held[0][0], held[-1][0]) if held else (0.0, 0.0)
    report.say(f"at most {format_memory(most)}, in {format_time(last - first)}")
    if most and last > first:
        high = 300
        points, before = [], held[0][1]
        for at, n in held:
            x = (at - first) / (last - first) * _WIDTH
            points += [f"{x:.1f},{high - before / most * high:.1f}", f"{x:.1f},{high - n / most * high:.1f}"]
            before = n
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {high}" width="{_WIDTH}" height="{high}" '
            f'role="img" aria-label="bytes held over time"><polygon points="0,{high} {" ".join(points)} '
            f'{_WIDTH},{high}" fill="#2f6fed" fill-opacity=".35" stroke="#2f6fed"/></svg>'
        )
        report.add(Drawing(svg, ""))
    return report.html("Memory held by tensors")
