# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.library.signatures import ByAten as ByAten
from rushlight.library.signatures import SIGNATURES as SIGNATURES
