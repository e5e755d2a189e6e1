# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.core.tensor import modes_in_force as modes_in_force
from rushlight.library.operator import OpOverload as OpOverload
from rushlight.library.operator import OpOverloadPacket as OpOverloadPacket
from rushlight.library.operator import namespace as namespace
from rushlight.library.programs import PrimOverload as PrimOverload
from rushlight.library.programs import prim_overload as prim_overload
from rushlight.library.programs import run_program as run_program
from rushlight.library.programs import substitute_all as substitute_all
from rushlight.library.schema import Argument as Argument
from rushlight.library.schema import FunctionSchema as FunctionSchema
from rushlight.library.schema import Return as Return
