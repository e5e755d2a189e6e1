# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.forward_ad import dual_level as dual_level
from rushlight.autograd.forward_ad import enter_dual_level as enter_dual_level
from rushlight.autograd.forward_ad import exit_dual_level as exit_dual_level
from rushlight.autograd.forward_ad import make_dual as make_dual
from rushlight.autograd.forward_ad import unpack_dual as unpack_dual
from rushlight.compat._made import Made as _Made
from rushlight.core.tensor import Tensor as Tensor
from rushlight.core.tensor import Tensor as _Tensor
from rushlight.func.levels import Dual as Dual
from rushlight.func.levels import Level as Level
from rushlight.func.levels import dual as dual

class UnpackedDualTensor(_Made, _Tensor): ...
