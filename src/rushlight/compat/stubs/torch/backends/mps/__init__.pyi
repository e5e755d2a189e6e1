# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.backends.mps import (
    is_available as is_available, is_built as is_built, is_macos13_or_newer as is_macos13_or_newer,
    is_macos_or_newer as is_macos_or_newer,
)
