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

class Transform:
    def __init__(
        self, kind: int, item: int, inverse: bool, trig: int, scale: float, real_size: int, sizes: tuple[int, ...],
        axes: tuple[int, ...], plans: tuple[Any, ...],
    ) -> None: ...

class Fourier(Operands):
    def __init__(self, s: Any) -> None: ...
