"""Reports of `explain`: text, tables and drawings in their order, written to a terminal or as a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from textwrap import dedent
from typing import NamedTuple

_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>
:root {{ color-scheme: light dark; --paper: #fff; --ink: #1b1b1f; --line: #b9b9c2; --soft: #f1f1f4; }}
@media (prefers-color-scheme: dark) {{
  :root {{ --paper: #17171a; --ink: #ececf0; --line: #55555f; --soft: #26262b; }} }}
body {{ background: var(--paper); color: var(--ink); font: 16px/1.45 system-ui, sans-serif; margin: 0; }}
main {{ max-width: 75rem; margin: 0 auto; padding: 1rem; }}
pre, td, th {{ font: .875rem/1.4 ui-monospace, monospace; }}
pre, .wide {{ overflow-x: auto; }}
pre {{ background: var(--soft); padding: .6rem .8rem; border-radius: 4px; }}
table {{ border-collapse: collapse; }}
td, th {{ border: 1px solid var(--line); padding: 2px 8px; text-align: right; }}
td:first-child, th:first-child {{ text-align: left; white-space: pre; }}
td.words, th.words {{ text-align: left; }}
h2 {{ font-size: 1.2rem; margin: 2rem 0 .5rem; border-top: 1px solid var(--line); padding-top: 1rem; }}
h3 {{ font-size: 1rem; margin: 1.2rem 0 .4rem; }}
caption {{ text-align: left; font-weight: 600; padding: .3rem 0; }}
</style></head><body><main>
<h1>{title}</h1>
{body}
</main></body></html>
"""


class Table(NamedTuple):
    """Rows under columns; the first ones (`words`) are text, the others are numbers or short words."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int = 1

    def text(self) -> str:
        """The table in columns of a terminal."""
        cells = [list(self.columns), *map(list, self.rows)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.columns))]
        lines = [
            "  ".join(
                c.ljust(w) if i < self.words else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))
            ).rstrip()
            for row in cells
        ]
        return "\n".join([self.title, "    " + lines[0], *("    " + line for line in lines[1:])])

    def html(self) -> str:
        """The table of a page."""
        words = ["", ' class="words"']

        def row(kind: str, cells: Sequence[str]) -> str:
            marked = (words[0 < i < self.words] for i in range(len(cells)))
            return "".join(f"<{kind}{mark}>{escape(c)}</{kind[:2]}>" for c, mark in zip(cells, marked, strict=True))

        head = row('th scope="col"', self.columns)
        body = "".join(f"<tr>{row('td', cells)}</tr>\n" for cells in self.rows)
        return (
            f'<div class="wide"><table><caption>{escape(self.title)}</caption><thead><tr>{head}</tr></thead>'
            f"<tbody>\n{body}</tbody></table></div>"
        )


class Drawing(NamedTuple):
    """A drawing: SVG on a page, and the same in words on a terminal."""

    svg: str
    words: str


def _block(text: str) -> list[str]:
    """Lines of text on a page; where the first line is a heading, the lines that stand indented below it belong to
    it."""
    first, _, rest = text.partition("\n")
    if re.match(r"\d+: ", first):
        return [f"<h2>{escape(first)}</h2>", *(_block(rest) if rest else [])]
    if rest and all(line.startswith("    ") for line in rest.splitlines()) and not re.search(r"\S  +\S", first):
        return [f"<h3>{escape(first)}</h3>", f'<pre tabindex="0">{escape(dedent(rest))}</pre>']
    return [f'<pre tabindex="0">{escape(text)}</pre>'] if text else []


class Report:
    """Parts in their order: lines of text, tables, drawings."""

    def __init__(self) -> None:
        self.parts: list[str | Table | Drawing] = []

    def say(self, *text: object) -> None:
        """Add a line, or several."""
        self.parts.append(" ".join(map(str, text)))

    def add(self, part: Table | Drawing) -> None:
        """Add a table or a drawing."""
        self.parts.append(part)

    def text(self) -> str:
        """All of it for a terminal."""
        return "".join(
            (p if isinstance(p, str) else p.words if isinstance(p, Drawing) else p.text()) + "\n" for p in self.parts
        )

    def html(self, title: str) -> str:
        """All of it as a page that loads nothing."""
        body: list[str] = []
        lines: list[str] = []

        def flush() -> None:
            for block in re.split(r"\n\n+", "\n".join(lines).strip("\n")) if lines else ():
                body.extend(_block(block))
            lines.clear()

        for part in self.parts:
            if isinstance(part, str):
                lines.append(part)
                continue
            flush()
            body.append(f'<div class="wide">{part.svg}</div>' if isinstance(part, Drawing) else part.html())
        flush()
        return _PAGE.format(title=escape(title), body="\n".join(body))
