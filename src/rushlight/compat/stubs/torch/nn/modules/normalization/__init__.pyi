# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules._functional import FunctionModule as FunctionModule
from rushlight.nn.modules._scaled import Scaled as Scaled
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.modules.normalization import CrossMapLRN2d as CrossMapLRN2d
from rushlight.nn.modules.normalization import GroupNorm as GroupNorm
from rushlight.nn.modules.normalization import LayerNorm as LayerNorm
from rushlight.nn.modules.normalization import LocalResponseNorm as LocalResponseNorm
from rushlight.nn.modules.normalization import RMSNorm as RMSNorm
from rushlight.nn.modules.normalization import _ShapedNorm as _ShapedNorm
from torch.nn import functional as _of_F

F = _of_F
