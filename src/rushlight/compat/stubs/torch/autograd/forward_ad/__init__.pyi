# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
import builtins
from rushlight.autograd.forward_ad import (
    dual_level as dual_level, enter_dual_level as enter_dual_level, exit_dual_level as exit_dual_level, make_dual as make_dual,
    unpack_dual as unpack_dual,
)
from rushlight.core.tensor import Tensor as Tensor, Tensor as _Tensor
from rushlight.func.levels import Dual as Dual, Level as Level, dual as dual
from typing import Any

class UnpackedDualTensor(_Tensor):      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
