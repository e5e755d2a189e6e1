"""Gathers the pages: what lies in docs/, and those documents of the checkout that the site has beside them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
# Documents outside of docs/ by the name that they have on the site.
BESIDE = {
    "README.md": "readme.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "benchmarks/README.md": "benchmarks.md",
}
LINK = re.compile(r"(?<=\]\()(?!https?:|#)([^)#\s]+)(#[^)\s]*)?(?=\))")


def moved(text: str, source: Path, target: str) -> str:
    """A document's text with its links as they must be where it stands on the site.

    Args:
        text: Markdown.
        source: where the document is in the checkout, from its root on.
        target: where it stands on the site.

    Returns:
        The text. A link to what the site does not have becomes the path alone.
    """

    def link(match: re.Match[str]) -> str:
        to = (ROOT / source).parent.joinpath(match[1]).resolve().relative_to(ROOT).as_posix()
        there = BESIDE.get(to) or (to.removeprefix("docs/") if to.startswith("docs/") else None)
        if there is None:
            raise ValueError(f"{source}: a link to {match[1]}, which the site does not have")
        here = "../" * target.count("/")
        return here + there + (match[2] or "")

    return LINK.sub(link, text)


def gather(folder: Path) -> None:
    """Copy every page into an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, folder)
    for page in [*DOCS.glob("*.md"), *DOCS.glob("learn/*.md"), *DOCS.glob("design/*.md")]:
        name = page.relative_to(DOCS).as_posix()
        (folder / name).write_text(moved(page.read_text(), page.relative_to(ROOT), name))
    for path, name in BESIDE.items():
        (folder / name).write_text(moved((ROOT / path).read_text(), Path(path), name))
    orphans(folder)


def orphans(folder: Path) -> None:
    """Say which pages stand in no table of contents: hundreds of operators would make every page's list long."""
    for page in [*folder.glob("operators/*/**/*.md"), folder / "readme.md"]:
        page.write_text("---\norphan: true\n---\n\n" + page.read_text())
