# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.library.damage import cuts_png as cuts_png
from rushlight.library.damage import of_gif as of_gif
from rushlight.library.damage import of_jpeg as of_jpeg
from rushlight.library.damage import without_junk as without_junk
