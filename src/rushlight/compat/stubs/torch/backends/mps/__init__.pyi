# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.backends.mps import is_available as is_available
from rushlight.backends.mps import is_built as is_built
from rushlight.backends.mps import is_macos13_or_newer as is_macos13_or_newer
from rushlight.backends.mps import is_macos_or_newer as is_macos_or_newer
