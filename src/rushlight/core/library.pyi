# What library.pyx offers to Python.
from collections.abc import Callable
from typing import Any

LIBRARY: dict[str, Callable[..., None]]  # of operands, results and params; open_blas and open_products make ready

class Library:
    def __init__(self, s: Any) -> None: ...

class Panels: ...

class Lapack:
    def __init__(self, s: Any) -> None: ...
