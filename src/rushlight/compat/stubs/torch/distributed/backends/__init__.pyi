# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
import builtins
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributed.backends import Backend as Backend
from rushlight.distributed.backends import Collectives as Collectives
from rushlight.distributed.backends import OneProcess as OneProcess
from rushlight.distributed.backends import ReduceOp as ReduceOp
from rushlight.distributed.backends import Work as Work
from rushlight.distributed.backends import make_gloo as make_gloo
from rushlight.distributed.stores import Store as Store
from typing import Any

class Op:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
