# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.library.foreign import FOREIGN as FOREIGN
