# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules._functional import FunctionModule as FunctionModule
from rushlight.nn.modules.upsampling import Upsample as Upsample
from rushlight.nn.modules.upsampling import UpsamplingBilinear2d as UpsamplingBilinear2d
from rushlight.nn.modules.upsampling import UpsamplingNearest2d as UpsamplingNearest2d
