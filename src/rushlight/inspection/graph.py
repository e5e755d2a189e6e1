"""The graph that a backward goes through: each node with the line that made it and the values that it keeps."""

from __future__ import annotations

from html import escape
from typing import Any

from rushlight.core.engine import AccumulateGrad
from rushlight.core.tensor import Tensor
from rushlight.inspection.report import Drawing, Table

MOST = 400  # nodes that are drawn
_WIDTH, _LINE, _GAP = 250, 16, 34


class Node:
    """A node of the graph, as it is shown."""

    def __init__(self, node: Any, number: int) -> None:
        self.node, self.number = node, number
        self.depth = 0  # the longest way from the result
        self.next: list[Node] = []

    def title(self) -> str:
        """Its name; of a leaf, its shape."""
        if isinstance(self.node, AccumulateGrad):
            v = self.node.variable
            return f"leaf {v.dtype.name}{list(v.shape)}"
        return str(self.node.name())

    def saved(self) -> list[str]:
        """The values that it keeps, as name and shape."""
        found = []
        for name in dir(self.node):
            if name.startswith("_saved_"):
                try:
                    value = getattr(self.node, name)
                except RuntimeError:  # a backward has freed it, or a write in place has spoilt it
                    found.append(f"{name.removeprefix('_saved_')}: freed")
                    continue
                for t in value if isinstance(value, (tuple, list)) else (value,):
                    if isinstance(t, Tensor) and t.ndim:
                        found.append(f"{name.removeprefix('_saved_')}: {t.dtype.name}{list(t.shape)}")
        return found

    def line(self) -> str:
        """The program's line that made it."""
        return str(getattr(self.node, "line", None) or "")


def nodes_of(result: Tensor) -> list[Node]:
    """The nodes that a backward from a tensor runs, the result's first, each before those that it leads to."""
    known: dict[int, Node] = {}

    def shown(node: Any) -> Node:
        if id(node) not in known:
            known[id(node)] = Node(node, len(known))
        return known[id(node)]

    stack, done = [shown(result.grad_fn)], set[int]()
    while stack:
        here = stack.pop()
        if here.number in done:
            continue
        done.add(here.number)
        for other, _ in here.node.next_functions:
            if other is not None:
                here.next.append(shown(other))
                stack.append(here.next[-1])
    order = list(known.values())
    waiting = {n.number: 0 for n in order}
    for n in order:
        for m in n.next:
            waiting[m.number] += 1
    ready, found = [order[0]], []
    while ready:
        here = ready.pop()
        found.append(here)
        for m in here.next:
            m.depth = max(m.depth, here.depth + 1)
            waiting[m.number] -= 1
            if not waiting[m.number]:
                ready.append(m)
    for i, n in enumerate(found):
        n.number = i
    return found


def table(nodes: list[Node]) -> Table:
    """The graph as rows: a node leads to those whose numbers stand in its last column."""
    rows = [
        (
            f"{n.number} {n.title()}",
            "; ".join(n.saved()) or "-",
            n.line() or "-",
            " ".join(str(m.number) for m in n.next) or "-",
        )
        for n in nodes
    ]
    return Table("graph of the backward", ("node", "keeps", "made at", "leads to"), rows)


def drawing(nodes: list[Node]) -> Drawing:
    """The graph as a drawing, the result on top; in words it is the table."""
    if len(nodes) > MOST:
        words = f"{len(nodes)} nodes: more than {MOST} are not drawn"
        return Drawing(f"<p>{words}</p>", table(nodes).text())
    rows: dict[int, list[Node]] = {}
    for n in nodes:
        rows.setdefault(n.depth, []).append(n)
    place: dict[int, tuple[float, float, float]] = {}
    boxes: list[str] = []
    top = 10.0
    width = max(len(r) for r in rows.values()) * (_WIDTH + _GAP) + _GAP
    for depth in sorted(rows):
        row = rows[depth]
        texts = [[n.title(), *n.saved()[:4], *([n.line()] if n.line() else [])] for n in row]
        high = max(len(t) for t in texts) * _LINE + 12
        left = (width - len(row) * (_WIDTH + _GAP) + _GAP) / 2
        for n, lines in zip(row, texts):
            tall = len(lines) * _LINE + 12
            place[n.number] = (left + _WIDTH / 2, top, top + tall)
            boxes.append(
                f"<g><title>{escape(chr(10).join([n.title(), *n.saved(), n.line()]))}</title>"
                f'<rect x="{left:.0f}" y="{top:.0f}" width="{_WIDTH}" height="{tall}" rx="4" '
                'style="fill: var(--paper, none)" stroke="currentColor"/>'
            )
            for i, text in enumerate(lines):
                weight = 400 if i else 600
                boxes.append(
                    f'<text x="{left + 8:.0f}" y="{top + 18 + i * _LINE:.0f}" font-weight="{weight}">'
                    f"{escape(_cut(text))}</text>"
                )
            boxes.append("</g>")
            left += _WIDTH + _GAP
        top += high + _GAP
    arrows = []
    for n in nodes:
        for m in n.next:
            (x1, _, y1), (x2, y2, _) = place[n.number], place[m.number]
            middle = (y1 + y2) / 2
            arrows.append(
                f'<path d="M{x1:.0f} {y1:.0f} C{x1:.0f} {middle:.0f} {x2:.0f} {middle:.0f} {x2:.0f} {y2 - 5:.0f}" '
                'fill="none" stroke="currentColor" stroke-opacity=".55" marker-end="url(#tip)"/>'
            )
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {top:.0f}" width="{width:.0f}" '
        f'height="{top:.0f}" role="img" aria-label="graph of the backward" font-family="ui-monospace, monospace" '
        'font-size="12" fill="currentColor"><defs><marker id="tip" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z"/></marker></defs>'
        + "".join(arrows + boxes)
        + "</svg>"
    )
    return Drawing(svg, table(nodes).text())


def _cut(text: str) -> str:
    most = (_WIDTH - 16) // 7
    return text if len(text) <= most else "…" + text[len(text) - most + 1 :]
