# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
import builtins
from collections.abc import Callable
from rushlight.core.tensor import Tensor as _Tensor
from rushlight.distributed.tensor.placements import Partial as Partial
from rushlight.distributed.tensor.placements import Placement as Placement
from rushlight.distributed.tensor.placements import Replicate as Replicate
from rushlight.distributed.tensor.placements import Shard as Shard
from typing import Any

class DTensor(_Tensor):      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
distribute_module: Callable[..., Any]
distribute_tensor: Callable[..., Any]
