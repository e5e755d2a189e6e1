"""Pictures as SVG: curves of functions and their derivatives, and tensors as grids of cells.

They stand within the pages, so that their colours are those of the theme (`_static/site.css`), light or dark.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import rushlight
from rushlight.core.tensor import Tensor

POINTS = 241
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 420, 240, 40, 24, 22


# --------------------------------------------------------------------------------------------------------------- curves
@dataclass(frozen=True)
class Curve:
    """A function over a range, with its derivative where it has one."""

    x: list[float]
    y: list[float]
    slope: list[float] | None


def curve(function: Callable[[Tensor], Tensor], low: float, high: float, whole: bool = False) -> Curve | None:
    """A function at points of a range; None where it gives no real numbers there.

    Args:
        function: from a vector to one of its size.
        low, high: the range.
        whole: at whole numbers, as int64, without a derivative.
    """
    if whole:
        x = rushlight.arange(int(low), int(high) + 1)
    else:
        x = rushlight.linspace(low, high, POINTS, dtype=rushlight.float64, requires_grad=True)
    places = x.detach().tolist()
    y = function(x)
    if not isinstance(y, Tensor) or y.shape != x.shape or y.is_complex():
        return None
    slope = None
    if y.requires_grad:
        y.sum().backward()
        slope = x.grad.tolist() if x.grad is not None else None
    return Curve(places, y.detach().to(rushlight.float64).tolist(), slope)


def _finite(values: Sequence[float]) -> int:
    return sum(map(math.isfinite, values))


def best_curve(function: Callable[[Tensor], Tensor]) -> Curve | None:
    """The function over the widest of a few ranges in which it is defined nearly everywhere, else over that in which it
    is at most points.
    """
    found = []
    for low, high in ((-4.0, 4.0), (0.02, 5.0), (-0.98, 0.98), (0.02, 0.98), (1.02, 5.0)):
        c = curve(function, low, high)
        if c is None:
            return None
        if _finite(c.y) >= 0.97 * POINTS:
            return c
        found.append(c)
    best = max(found, key=lambda c: _finite(c.y))
    return best if _finite(best.y) > POINTS // 4 else None


def _span(values: Sequence[float]) -> tuple[float, float]:
    """The range that a plot shows: of most values, since poles would make all else a line."""
    finite = sorted(v for v in values if math.isfinite(v))
    cut = len(finite) // 25
    low, high = finite[cut], finite[-1 - cut]
    if low == high:
        low, high = low - 1, high + 1
    return low - 0.08 * (high - low), high + 0.08 * (high - low)


def _ticks(low: float, high: float) -> list[float]:
    step = 10 ** math.floor(math.log10((high - low) / 2))
    step *= next(m for m in (1, 2, 5, 10) if (high - low) / (step * m) <= 5)
    first = math.ceil(low / step)
    return [i * step for i in range(first, int(high // step) + 1)]


def plot(c: Curve, label: str) -> str:
    """A curve, with its derivative dashed, as SVG.

    Args:
        c: the curve.
        label: what the function is called.

    Returns:
        One line of SVG.
    """
    shown = [*c.y, *(v for v in c.slope or [] if abs(v) <= 4 * max(1.0, max(abs(y) for y in _span(c.y))))]
    (x0, x1), (y0, y1) = (c.x[0], c.x[-1]), _span(shown)
    across = lambda x: LEFT + (x - x0) / (x1 - x0) * (WIDTH - LEFT - 8)
    up = lambda y: HEIGHT - BOTTOM - (y - y0) / (y1 - y0) * (HEIGHT - BOTTOM - TOP)
    text = "".join(
        f'<path class="grid" d="M{across(t):.1f} {TOP}V{HEIGHT - BOTTOM}"/>'
        f'<text x="{across(t):.1f}" y="{HEIGHT - 8}" text-anchor="middle">{t:g}</text>'
        for t in _ticks(x0, x1)
    ) + "".join(
        f'<path class="grid" d="M{LEFT} {up(t):.1f}H{WIDTH - 8}"/>'
        f'<text x="{LEFT - 5}" y="{up(t) + 4:.1f}" text-anchor="end">{t:g}</text>'
        for t in _ticks(y0, y1)
    )
    for kind, values in (("slope", c.slope), ("value", c.y)):
        if values is not None:
            text += _line(
                kind, [(across(x), up(y) if math.isfinite(y) and y0 <= y <= y1 else None) for x, y in zip(c.x, values)]
            )
    text += f'<text class="value" x="{LEFT + 4}" y="14">{html.escape(label)}</text>'
    if c.slope is not None:
        text += f'<text class="slope" x="{WIDTH - 10}" y="14" text-anchor="end">its derivative (dashed)</text>'
    described = f"{label} from {x0:g} to {x1:g}" + (", and its derivative" if c.slope is not None else "")
    return svg(WIDTH, HEIGHT, text, described, "plot")


def _line(kind: str, points: Sequence[tuple[float, float | None]]) -> str:
    """A path, broken where the function leaves the picture; whole numbers are dots."""
    if len(points) < POINTS:
        return "".join(
            f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="2.5"/>' for x, y in points if y is not None
        )
    text, down, last = "", False, 0.0
    for x, y in points:
        jump = y is not None and abs(y - last) > 0.35 * HEIGHT  # a pole or a step between two points is no line
        text += "" if y is None else f"{'L' if down and not jump else 'M'}{x:.1f} {y:.1f}"
        down, last = y is not None, y if y is not None else last
    return f'<path class="{kind}" d="{text}"/>' if text else ""


# --------------------------------------------------------------------------------------------------------------- shapes
CELL, GAP, LARGEST = 17, 9, 220  # LARGEST: cells of a tensor that is drawn


@dataclass(frozen=True)
class Grid:
    """A tensor to draw: its name, its shape and which of its elements are marked."""

    name: str
    shape: tuple[int, ...]
    marked: frozenset[int]

    def size(self) -> tuple[int, int]:
        """Width and height of the drawing."""
        panels, rows, columns = self.panels()
        return max(panels * (columns * CELL + GAP) - GAP, 7 * len(self.caption())), rows * CELL + 20

    def panels(self) -> tuple[int, int, int]:
        """How many matrices stand side by side, and their rows and columns."""
        rows, columns = ((1, 1, *self.shape))[-2:]
        return math.prod(self.shape[:-2]), rows, columns

    def caption(self) -> str:
        """Name and shape."""
        return f"{self.name} ({', '.join(map(str, self.shape))})"

    def draw(self, left: float, top: float) -> str:
        """Its cells, row by row, with the caption above."""
        panels, rows, columns = self.panels()
        text = f'<text x="{left}" y="{top + 11}">{html.escape(self.caption())}</text>'
        for i in range(panels * rows * columns):
            panel, row, column = i // (rows * columns), i // columns % rows, i % columns
            x, y = left + panel * (columns * CELL + GAP) + column * CELL, top + 18 + row * CELL
            kind = "cell marked" if i in self.marked else "cell"
            text += f'<rect class="{kind}" x="{x}" y="{y}" width="{CELL - 2}" height="{CELL - 2}" rx="2"/>'
        return text


def shapes(inputs: Sequence[Grid], result: Grid, call: str) -> str:
    """Input tensors, and behind an arrow what is computed of them, as SVG.

    Args:
        inputs: the operands.
        result: the result; its marked element is computed of those marked in the operands.
        call: the operator's name, over the arrow.

    Returns:
        One line of SVG.
    """
    text, top, wide = "", 4.0, 0.0
    for grid in inputs:
        text += grid.draw(4, top)
        top += grid.size()[1] + GAP
        wide = max(wide, grid.size()[0])
    tall = max(top, result.size()[1] + 8)
    arrow, middle = wide + 18, tall / 2
    length = max(50, 7 * len(call))
    text += (
        f'<text x="{arrow + length / 2}" y="{middle - 8}" text-anchor="middle">{html.escape(call)}</text>'
        f'<path class="arrow" d="M{arrow} {middle}h{length}m-7 -5l7 5l-7 5"/>'
        + result.draw(arrow + length + 14, max(4.0, (tall - result.size()[1]) / 2))
    )
    shown = ", ".join(g.caption() for g in inputs)
    return svg(
        math.ceil(arrow + length + 20 + result.size()[0]),
        math.ceil(tall),
        text,
        f"{call} makes {result.caption()} of {shown}; "
        "one element of the result and those that it depends on are marked",
        "shapes",
    )


def dependence(operands: dict[str, Tensor], result: Tensor, at: int) -> list[Grid] | None:
    """The operands with those elements marked that an element of the result depends on, by its gradient.

    Args:
        operands: by name; those that require a gradient.
        result: computed of them.
        at: which of its elements, in the order of rows.

    Returns:
        A grid for each operand; None where the result depends on none.
    """
    if not result.requires_grad:
        return None
    given = rushlight.autograd.grad(result.reshape(-1)[at], list(operands.values()), allow_unused=True)
    grids = []
    for (name, operand), slope in zip(operands.items(), given, strict=True):
        values: list[Any] = [] if slope is None else slope.reshape(-1).tolist()
        grids.append(Grid(name, tuple(operand.shape), frozenset(i for i, v in enumerate(values) if v != 0)))
    return grids


def svg(width: float, height: float, content: str, described: str, kind: str) -> str:
    return (
        f'<svg class="{kind}" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{html.escape(described)}" xmlns="http://www.w3.org/2000/svg">{content}</svg>'
    )
