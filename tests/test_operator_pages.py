"""The pages about operators are those of the table, and every example prints what the page says."""
from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import operator_pages as tool  # noqa: E402

PAGES = sorted(p for p in tool.FOLDER.glob("*.md") if p.name != "index.md")


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_the_examples_print_what_they_say(page: Path) -> None:
    assert blocks(page)
    for block in blocks(page):
        code = "".join(line[4:] + "\n" for line in block.splitlines() if line.startswith((">>> ", "... ")))
        assert tool.transcript(code) == block


def test_every_operator_has_a_section_and_an_example() -> None:
    text = {p.stem: p.read_text() for p in PAGES}
    for entry in tool.entries():
        parts = re.split(r"^## ", text.get(entry.family, ""), flags=re.MULTILINE)
        mine = [part for part in parts if part.startswith(entry.name + "\n")]
        assert len(mine) == 1, f"{entry.name} has {len(mine)} sections in docs/operators/{entry.family}.md: run `python tools/operator_pages.py`"
        assert ">>> " in mine[0], f"{entry.name} has no example"


def test_the_index_lists_every_operator_once() -> None:
    index = (tool.FOLDER / "index.md").read_text()
    for entry in tool.entries():
        link = f"[{entry.name}]({entry.family}.md#{tool.anchor(entry.name)})"
        assert index.count(link) == 1, f"{entry.name}: run `python tools/operator_pages.py`"
        at = index.rindex("\n## ", 0, index.index(link))
        assert index[at:].startswith(f"\n## {entry.op.shape_class}\n"), entry.name


def test_the_text_is_that_of_the_definitions() -> None:
    """Signature, docstring and facts; the examples were run above, and making them anew takes long."""
    for entry in tool.entries():
        section = tool.section(entry, tool.load(), with_example=False)
        page = (tool.FOLDER / f"{entry.family}.md").read_text()
        assert section.strip() in page, f"{entry.name}: run `python tools/operator_pages.py`"
