# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.library.damage import cuts_png as cuts_png
from rushlight.library.damage import of_jpeg as of_jpeg
