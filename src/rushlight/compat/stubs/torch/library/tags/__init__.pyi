# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.library.tags import Tag as Tag
