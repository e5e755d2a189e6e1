# What library.pyx offers to Python.
from collections.abc import Callable
from typing import Any

LIBRARY: dict[str, Callable[..., None]]  # of operands, results and params

class Library:
    def __init__(self, s: Any) -> None: ...

class Panels: ...

class Conv(Library): ...

class Operands:
    def __init__(self, s: Any) -> None: ...

class Lapack(Operands):
    def __init__(self, s: Any) -> None: ...
