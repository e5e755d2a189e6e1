# What base.pyx offers to Python.
from typing import Any

def set_upcalls(upcalls: Any) -> None: ...
