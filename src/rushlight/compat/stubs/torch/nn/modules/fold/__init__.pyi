# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.modules._functional import Rearranged as Rearranged
from rushlight.nn.modules._sizes import Sizes as Sizes
from rushlight.nn.modules.fold import Fold as Fold
from rushlight.nn.modules.fold import Unfold as Unfold
