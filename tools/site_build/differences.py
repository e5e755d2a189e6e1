"""Which lines of docs/differences.md are about a name: those that have it as code."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "differences.md"


@cache
def items() -> list[tuple[str, str, frozenset[str]]]:
    """The items of the page: (anchor of its section, text, the names that it has as code)."""
    found, anchor = [], ""
    for piece in re.split(r"(?m)^(?=## |- )", PAGE.read_text()):
        if piece.startswith("## "):
            anchor = re.sub(r"[^\w\- ]", "", piece.splitlines()[0][3:].lower()).replace(" ", "-")
        elif piece.startswith("- "):
            text = " ".join(piece[2:].split())
            found.append((anchor, text, names(text)))
    return found


def names(text: str) -> frozenset[str]:
    """The names that stand as code in a text, dotted as they are written."""
    spans = re.findall(r"`([^`]+)`", text)
    found = (re.match(r"(?:torch\.)?([A-Za-z_][\w.]*)(?=\(|$)", span) for span in spans)
    return frozenset(m[1] for m in found if m)


def sentences(text: str, found: set[str]) -> str:
    """The sentences of an item that speak of a name; with the item's title, which may be a sentence of its own."""
    title = re.match(r"\*\*.*?\*\*\.?", text)
    rest = text[title.end() :] if title else text
    wanted = [s for s in re.split(r"(?<=[.;]) (?=[A-Z`])", rest) if names(s) & found]
    return " ".join([title[0] if title else "", *wanted]).strip()


def about(*called: str) -> str | None:
    """What differs from PyTorch where a name is concerned, as Markdown; None where nothing is said of it.

    Args:
        called: the names of one thing, below the package: "nn.functional.softmax", "Tensor.softmax".
    """
    wanted = {
        n for name in called for n in (name, name.rpartition(".")[2], f"F.{name.rpartition('.')[2]}") if len(n) > 2
    }
    wanted -= _TOO_COMMON
    lines = []
    for anchor, text, there in items():
        if hit := there & wanted:
            said = re.sub(r"\]\((?!https?:|/)([^)#]*)(#[^)]*)?\)", r"](/\1\2)", sentences(text, set(hit)))
            said = said.replace("](/#", "](/differences.md#")
            lines.append(f"- {said} ([more](/differences.md#{anchor}))")
    if not lines:
        return None
    return ":::{admonition} Differs from PyTorch\n:class: note\n\n" + "\n".join(lines) + "\n:::"


# Words that stand as code where they mean an argument or a dtype, not the function.
_TOO_COMMON = frozenset(
    "out dim dtype data device size stride real imag grad numpy float int bool double half long short type view to "
    "layout eps "
    "where array input all any min max mean sum values indices index sparse None True False".split()
)
