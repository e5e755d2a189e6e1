"""What the pages lack for who reads them by ear or by keyboard: levels of headings, and code that can be scrolled."""

from __future__ import annotations

from typing import Any


def complete(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Captions of the table of contents get their level, and blocks of code can be reached by Tab."""
    if "furo_navigation_tree" in context:
        tree = context["furo_navigation_tree"]
        context["furo_navigation_tree"] = tree.replace('role="heading"', 'role="heading" aria-level="2"')
    if "body" in context:
        body = context["body"].replace('role="heading">', 'role="heading" aria-level="2">')
        context["body"] = body.replace("<pre>", '<pre tabindex="0">')


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx, behind the theme."""
    app.connect("html-page-context", complete, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
