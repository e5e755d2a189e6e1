"""Settings of Sphinx for the site that `make docs` builds; tools/site_build gathers the pages and calls it."""

from __future__ import annotations

import sys
from pathlib import Path

# The sources are gathered in build/site-sources, beside which nothing of the checkout lies.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tools"))

project = "rushlight"
author = "The rushlight authors"
copyright = "the rushlight authors; BSD 3-Clause License"

extensions = ["myst_parser", "site_build.mathml", "site_build.accessible"]
myst_enable_extensions = ["colon_fence", "attrs_inline"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header"]  # the pages of operators begin their sections where GitHub shows them well
exclude_patterns = ["_static"]
toc_object_entries = False
pygments_style = "default"
highlight_language = "text"

html_theme = "furo"
html_title = "rushlight"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/icon.svg"
html_search_scorer = str(Path(__file__).resolve().parent / "_static" / "scorer.js")
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
# Summaries are fetched page by page, which browsers refuse to a page that is opened as a file.
html_show_search_summary = False
html_theme_options = {"top_of_page_buttons": [], "navigation_with_keys": True}
html_math_renderer = "mathml"
