"""Formulas as MathML, which browsers show by themselves: no script, nothing to load."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def inline(self: Any, node: nodes.Element) -> None:
    """A formula in a line of text."""
    self.body.append(str(tex2mathml(node.astext(), as_block=False)))
    raise nodes.SkipNode


def block(self: Any, node: nodes.Element) -> None:
    """A formula of its own."""
    self.body.append(f'<div class="formula">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, Any]:
    """Register the renderer with Sphinx."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
