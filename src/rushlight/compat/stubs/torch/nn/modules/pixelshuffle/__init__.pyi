# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.modules.shape import PixelShuffle as PixelShuffle
from rushlight.nn.modules.shape import PixelUnshuffle as PixelUnshuffle
