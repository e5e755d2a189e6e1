# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.modules._functional import Rearranged as Rearranged
from rushlight.nn.modules.pixelshuffle import PixelShuffle as PixelShuffle
from rushlight.nn.modules.pixelshuffle import PixelUnshuffle as PixelUnshuffle
