# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
import builtins
from rushlight.core.tensor import Tensor as _Tensor
from rushlight.distributed.nn.functional import all_reduce as all_reduce
from typing import Any

class AsyncCollectiveTensor(_Tensor):      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
