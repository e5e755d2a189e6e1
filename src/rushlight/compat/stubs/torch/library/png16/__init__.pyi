# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.library.png16 import chunks as chunks
from rushlight.library.png16 import read as read
