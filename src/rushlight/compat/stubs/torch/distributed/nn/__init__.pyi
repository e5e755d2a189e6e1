# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
import builtins
from rushlight.distributed.nn.functional import (
    all_gather as all_gather, all_reduce as all_reduce, all_to_all as all_to_all, all_to_all_single as all_to_all_single,
    broadcast as broadcast, gather as gather, reduce as reduce, reduce_scatter as reduce_scatter, scatter as scatter,
)
from rushlight.utils._absent import absent_names as absent_names
from torch.distributed.nn import functional as functional
from typing import Any

class RemoteModule:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
