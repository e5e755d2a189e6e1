# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.function import Function as Function
from rushlight.autograd.grad_mode import enable_grad as enable_grad, no_grad as no_grad
from rushlight.autograd.running import grad as grad
from rushlight.core.dtypes import dtype as dtype, float64 as float64
from rushlight.core.tensor import Tensor as Tensor
from rushlight.library.operator import (
    FAKES as FAKES, KERNELS as KERNELS, KINDS as KINDS, NAMESPACES as NAMESPACES, OpNamespace as OpNamespace,
    OpOverload as OpOverload, OpOverloadPacket as OpOverloadPacket, TRANSFORM as TRANSFORM, VmapInfo as VmapInfo,
    _Passed as _Passed, below_autograd as below_autograd, define as define, defined as defined, find as find,
    namespace as namespace, remove as remove,
)
from rushlight.library.schema import (
    Argument as Argument, FunctionSchema as FunctionSchema, UNFIT as UNFIT, fitting as fitting, type_shown as type_shown,
)
