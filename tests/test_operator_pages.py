"""The pages about operators are those of the table, and every example prints what the page says."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import operator_pages as tool  # noqa: E402

FAMILIES = sorted(str(p.parent.relative_to(tool.FOLDER)) for p in tool.FOLDER.rglob("README.md"))


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_examples_print_what_they_say(family: str) -> None:
    pages = [p for p in (tool.FOLDER / family).glob("*.md") if p.name != "README.md"]
    assert pages
    for page in pages:
        assert blocks(page), f"{page.name} has no example"
        for block in blocks(page):
            code = "".join(line[4:] + "\n" for line in block.splitlines() if line.startswith((">>> ", "... ")))
            assert tool.transcript(code) == block


@pytest.mark.parametrize("family", FAMILIES)
def test_the_examples_show_something(family: str) -> None:
    """No example is of a single number where the operator takes a tensor of any shape, nor ends with no elements."""
    for page in (tool.FOLDER / family).glob("*.md"):
        for block in blocks(page):
            first = block.splitlines()[0]
            assert not re.fullmatch(r">>> \w+ = torch\.tensor\(-?[\d.]+j?\)", first), f"{page.name}: {first}"
            last = block[block.rindex(">>> ") :]
            assert not re.search(r"tensor\(\[\]|size=\((\d+, )*0\b", last), f"{page.name}: {last}"


def test_every_operator_has_a_page_of_its_own() -> None:
    wanted = {entry.page for entry in tool.entries()}
    assert len({page.lower() for page in wanted}) == len(tool.entries()), (
        "two names differ in case alone: not every file system keeps both"
    )
    there = {str(p.relative_to(tool.FOLDER)) for p in tool.FOLDER.rglob("*/*.md") if p.name != "README.md"}
    assert there == wanted, f"run `python tools/operator_pages.py`: {sorted(there ^ wanted)}"


def test_the_indices_list_every_operator_once() -> None:
    index = (tool.FOLDER / "index.md").read_text()
    for entry in tool.entries():
        link = f"[{entry.name}]({entry.page})"
        assert index.count(link) == 1, f"{entry.name}: run `python tools/operator_pages.py`"
        at = index.rindex("\n## ", 0, index.index(link))
        assert index[at:].startswith(f"\n## {entry.op.shape_class}\n"), entry.name
        assert (tool.FOLDER / entry.family / "README.md").read_text().count(f"]({Path(entry.page).name})") == 1, (
            entry.name
        )


def test_the_text_is_that_of_the_definitions() -> None:
    """Signature, docstring and facts; the examples were run above, and making them anew takes long."""
    known = tool.load()
    for entry in tool.entries():
        text = tool.operator_page(entry, known, with_example=False)
        assert text.strip() in (tool.FOLDER / entry.page).read_text(), (
            f"{entry.name}: run `python tools/operator_pages.py`"
        )
