# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
import builtins
from collections.abc import Callable
from rushlight.core.tensor import Tensor as _Tensor
from rushlight.distributed._lacking import lacking as lacking
from rushlight.distributed.tensor.placements import Partial as Partial
from rushlight.distributed.tensor.placements import Placement as Placement
from rushlight.distributed.tensor.placements import Replicate as Replicate
from rushlight.distributed.tensor.placements import Shard as Shard
from torch.distributed.tensor import placements as placements
from typing import Any

class DTensor(_Tensor):      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
distribute_module: Callable[..., Any]
distribute_tensor: Callable[..., Any]
empty: Callable[..., Any]
full: Callable[..., Any]
ones: Callable[..., Any]
rand: Callable[..., Any]
randn: Callable[..., Any]
zeros: Callable[..., Any]
