# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from collections.abc import Callable
from rushlight.utils._absent import absent_names as absent_names
from typing import Any

init: Callable[..., Any]
profile: Callable[..., Any]
start: Callable[..., Any]
stop: Callable[..., Any]
