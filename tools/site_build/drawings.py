"""Drawings that the pages of Learn make by their own code: a storage with its tensors, the graph of a backward."""

from __future__ import annotations

import html
from typing import Any

from rushlight.core.tensor import Tensor
from site_build.pictures import svg

CELL = 34


class Picture:
    """An SVG that shows itself on a page."""

    def __init__(self, text: str) -> None:
        self.text = text

    def _repr_svg_(self) -> str:
        return self.text


def _cell(x: float, y: float, value: Any, marked: bool) -> str:
    kind = "cell marked" if marked else "cell"
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    return (
        f'<rect class="{kind}" x="{x}" y="{y}" width="{CELL - 3}" height="{CELL - 8}" rx="3"/>'
        f'<text class="{"inside" if marked else ""}" x="{x + CELL / 2 - 1.5}" y="{y + 17}" '
        f'text-anchor="middle">{shown}</text>'
    )


def storage(**tensors: Tensor) -> Picture:
    """Tensors of one storage: under each its sizes, strides and offset, and which cells of the storage it has.

    Args:
        tensors: of at most two dimensions, by name, all on one storage.

    Returns:
        The picture.
    """
    first = next(iter(tensors.values()))
    held = first.untyped_storage().nbytes() // first.element_size()
    values = first.as_strided((held,), (1,), 0).tolist()
    text, top = "", 6.0
    for name, t in tensors.items():
        places = [t.storage_offset() + sum(i * s for i, s in zip(at, t.stride())) for at in _indices(tuple(t.shape))]
        text += (
            f'<text x="4" y="{top + 10}">{html.escape(name)}: size {tuple(t.shape)}, stride {t.stride()}, '
            f"offset {t.storage_offset()}</text>"
        )
        text += "".join(_cell(4 + i * CELL, top + 18, v, i in places) for i, v in enumerate(values))
        columns = t.shape[-1] if t.ndim else 1
        for n, place in enumerate(places):
            text += _cell(4 + n % columns * CELL, top + 58 + n // columns * (CELL - 5), values[place], True)
        top += 58 + (-(-len(places) // columns)) * (CELL - 5) + 18
    return Picture(svg(max(held * CELL + 8, 420), top, text, "tensors and their storage", "shapes"))


def _indices(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = [()]
    for n in shape:
        found = [(*at, i) for at in found for i in range(n)]
    return found


WIDE, TALL, ACROSS, DOWN = 132, 28, 168, 46


def graph(result: Tensor, **names: Tensor) -> Picture:
    """The graph that `result.backward()` walks: a box for each node, from the result on the left to the leaves.

    Args:
        result: what backward would be called on.
        names: the leaves by name.

    Returns:
        The picture.
    """
    called = {id(t): n for n, t in names.items()}
    depth: dict[Any, int] = {}
    order: list[Any] = []

    def visit(node: Any, at: int) -> None:
        if node not in depth:
            order.append(node)
        if depth.get(node, -1) < at:
            depth[node] = at
            for into, _ in node.next_functions:
                if into is not None:
                    visit(into, at + 1)

    visit(result.grad_fn, 0)
    rows: dict[int, int] = {}
    places = {}
    for node in order:
        row = rows.get(depth[node], 0)
        rows[depth[node]] = row + 1
        places[node] = 4 + depth[node] * ACROSS, 4 + row * DOWN
    text = ""
    for node, (x, y) in places.items():
        for into, _ in node.next_functions:
            if into is not None:
                to = places[into]
                left, high, low = x + WIDE, y + TALL / 2, to[1] + TALL / 2
                text += f'<path class="arrow" d="M{left} {high}C{left + 18} {high} {to[0] - 18} {low} {to[0]} {low}"/>'
        leaf = getattr(node, "variable", None)
        label = f"{called.get(id(leaf), 'a leaf')}.grad" if leaf is not None else node.name()
        text += (
            f'<rect class="{"cell marked" if leaf is not None else "cell"}" x="{x}" y="{y}" width="{WIDE}" '
            f'height="{TALL}" rx="4"/>'
            f'<text class="{"inside" if leaf is not None else ""}" x="{x + WIDE / 2}" y="{y + 18}" '
            f'text-anchor="middle">{html.escape(label)}</text>'
        )
    wide, tall = max(x for x, _ in places.values()) + WIDE + 6, max(y for _, y in places.values()) + TALL + 6
    return Picture(svg(wide, tall, text, "the graph of the backward", "shapes"))
