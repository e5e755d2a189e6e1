# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.function import BackwardCFunction as BackwardCFunction
from rushlight.autograd.function import Function as Function
from rushlight.autograd.function import FunctionCtx as FunctionCtx
from rushlight.autograd.function import FunctionMeta as FunctionMeta
from rushlight.autograd.function import InplaceFunction as InplaceFunction
from rushlight.autograd.function import NestedIOFunction as NestedIOFunction
from rushlight.autograd.function import VmapInfo as VmapInfo
from rushlight.autograd.function import _Backward as _Backward
from rushlight.autograd.function import _CtxMeta as _CtxMeta
from rushlight.autograd.function import _alive as _alive
from rushlight.autograd.function import once_differentiable as once_differentiable
from rushlight.autograd.grad_mode import enable_grad as enable_grad
from rushlight.autograd.grad_mode import no_grad as no_grad
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.levels import Batched as Batched
from rushlight.func.levels import Dual as Dual
from rushlight.func.levels import Level as Level
from rushlight.func.levels import Wrapper as Wrapper
from rushlight.func.levels import batched as batched
from rushlight.func.levels import dual as dual
