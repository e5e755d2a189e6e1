# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from collections.abc import Callable
from rushlight.utils._absent import absent_names as absent_names
from typing import Any

all_gather: Callable[..., Any]
all_reduce: Callable[..., Any]
all_to_all: Callable[..., Any]
all_to_all_single: Callable[..., Any]
broadcast: Callable[..., Any]
gather: Callable[..., Any]
reduce: Callable[..., Any]
reduce_scatter: Callable[..., Any]
scatter: Callable[..., Any]
