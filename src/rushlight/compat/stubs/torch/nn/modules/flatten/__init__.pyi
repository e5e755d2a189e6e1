# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.modules.shape import Flatten as Flatten
from rushlight.nn.modules.shape import Unflatten as Unflatten
