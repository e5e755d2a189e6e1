# What launch.pyx offers to Python.
from typing import Any

CHUNK: int
PAIRED_FROM: int
ROWS_TOGETHER: int

class Variant: ...

class Kernel:
    def __init__(self, kernel: Any) -> None: ...

class Launch:
    def __init__(self, s: Any) -> None: ...
