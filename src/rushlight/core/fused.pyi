# What fused.pyx offers to Python.
from typing import Any

class Fused:
    def __init__(self, s: Any) -> None: ...
