# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.modules.shape import Fold as Fold
from rushlight.nn.modules.shape import Unfold as Unfold
