# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from collections.abc import Callable
from typing import Any

allreduce_hook: Callable[..., Any]
bf16_compress_hook: Callable[..., Any]
fp16_compress_hook: Callable[..., Any]
