# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Made as _Made
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributed.backends import Backend as Backend
from rushlight.distributed.backends import Collectives as Collectives
from rushlight.distributed.backends import OneProcess as OneProcess
from rushlight.distributed.backends import ReduceOp as ReduceOp
from rushlight.distributed.backends import Work as Work
from rushlight.distributed.backends import make_gloo as make_gloo
from rushlight.distributed.stores import Store as Store

class Op(_Made): ...
