# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor, add_modes as add_modes
from rushlight.library.operator import OpOverload as OpOverload, OpOverloadPacket as OpOverloadPacket, namespace as namespace
from rushlight.library.programs import (
    PrimOverload as PrimOverload, prim_overload as prim_overload, run_program as run_program, substitute_all as substitute_all,
)
from rushlight.library.schema import Argument as Argument, FunctionSchema as FunctionSchema, Return as Return
