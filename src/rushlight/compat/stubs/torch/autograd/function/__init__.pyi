# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.function import (
    BackwardCFunction as BackwardCFunction, Function as Function, FunctionCtx as FunctionCtx, FunctionMeta as FunctionMeta,
    InplaceFunction as InplaceFunction, NestedIOFunction as NestedIOFunction, VmapInfo as VmapInfo, _Backward as _Backward,
    _CtxMeta as _CtxMeta, _alive as _alive, once_differentiable as once_differentiable,
)
from rushlight.autograd.grad_mode import enable_grad as enable_grad, no_grad as no_grad
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.levels import (
    Batched as Batched, Dual as Dual, Level as Level, Wrapper as Wrapper, batched as batched, dual as dual,
)
