"""Checks a built site: every internal link and anchor leads somewhere, and nothing is loaded from another host.

python tools/site_build/links.py build/site
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes by which a page makes a browser load something; `a href` only leads there.
LOADED = {
    "script": "src",
    "img": "src",
    "link": "href",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "object": "data",
}
NOT_LOADED = {"search", "index", "next", "prev", "canonical", "author"}


@dataclass
class Page(HTMLParser):
    """What a page has: anchors, links, and what it loads."""

    path: Path
    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.feed(self.path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {k: v or "" for k, v in attrs}
        self.anchors |= {given[k] for k in ("id", "name") if k in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif (url := given.get(LOADED.get(tag, ""))) is not None and given.get("rel") not in NOT_LOADED:
            self.loaded.append(url)


def faults(folder: Path) -> list[str]:
    """What is wrong with the links of a site.

    Args:
        folder: the site.

    Returns:
        A line for each link that leads nowhere, and for each thing of another host that is loaded.
    """
    pages = {p.resolve(): Page(p) for p in sorted(folder.rglob("*.html"))}
    root, found = folder.resolve(), []
    for path, page in pages.items():
        where = path.relative_to(root)
        for url in page.loaded:
            if urlsplit(url).scheme in ("http", "https") or url.startswith("//"):
                found.append(f"{where}: loads {url}")
            elif not url.startswith("data:") and not (path.parent / unquote(urlsplit(url).path)).exists():
                found.append(f"{where}: loads {url}, which is not there")
        for url in dict.fromkeys(page.links):
            parts = urlsplit(url)
            if parts.scheme or parts.netloc:
                continue  # of another site
            to = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not to.exists():
                found.append(f"{where}: {url}: there is no such page")
            elif parts.fragment and to in pages and unquote(parts.fragment) not in pages[to].anchors:
                found.append(f"{where}: {url}: there is no such anchor")
    return found


def main() -> None:
    folder = Path(sys.argv[1])
    wrong = faults(folder)
    print("\n".join(wrong[:50]))
    pages = len(list(folder.rglob("*.html")))
    print(f"site: links of {pages} pages, {len(wrong)} lead nowhere or elsewhere")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
