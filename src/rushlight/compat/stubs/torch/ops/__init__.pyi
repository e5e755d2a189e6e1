# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.library.extensions import take_over as take_over
from rushlight.library.operator import namespace as namespace
from rushlight.ops import load_library as load_library
from rushlight.ops import loaded_libraries as loaded_libraries
