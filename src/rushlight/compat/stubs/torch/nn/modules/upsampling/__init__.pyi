# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.modules.shape import Upsample as Upsample
from rushlight.nn.modules.shape import UpsamplingBilinear2d as UpsamplingBilinear2d
from rushlight.nn.modules.shape import UpsamplingNearest2d as UpsamplingNearest2d
