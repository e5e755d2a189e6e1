# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
import builtins
from collections.abc import Callable
from rushlight.utils._absent import absent_names as absent_names
from torch.distributed.nn import functional as functional
from typing import Any

class RemoteModule:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
all_gather: Callable[..., Any]
all_reduce: Callable[..., Any]
all_to_all: Callable[..., Any]
all_to_all_single: Callable[..., Any]
broadcast: Callable[..., Any]
gather: Callable[..., Any]
reduce: Callable[..., Any]
reduce_scatter: Callable[..., Any]
scatter: Callable[..., Any]
