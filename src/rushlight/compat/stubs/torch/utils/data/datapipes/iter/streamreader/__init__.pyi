# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
import builtins
from typing import Any

class StreamReaderIterDataPipe:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
