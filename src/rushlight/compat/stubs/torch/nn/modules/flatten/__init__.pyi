# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.modules.shape import Flatten as Flatten, Unflatten as Unflatten
