# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from collections.abc import Callable
from typing import Any

always_wrap_policy: Callable[..., Any]
enable_wrap: Callable[..., Any]
lambda_auto_wrap_policy: Callable[..., Any]
size_based_auto_wrap_policy: Callable[..., Any]
transformer_auto_wrap_policy: Callable[..., Any]
wrap: Callable[..., Any]
