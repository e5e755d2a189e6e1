# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from collections.abc import Callable
from typing import Any, TypeAlias

Function: TypeAlias = Callable[..., Any]

class Made:
    """A class that is made while the program runs: a checker knows no more of it than its name."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str, /) -> Any: ...
