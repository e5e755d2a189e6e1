# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from collections.abc import Callable
from typing import Any

get_args_parser: Callable[..., Any]
run: Callable[..., Any]
