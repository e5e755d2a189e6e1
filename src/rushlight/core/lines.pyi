# What lines.pyx offers to Python.
from types import CodeType

from rushlight.core.tensor import Tensor

def line_of(code: CodeType, lasti: int) -> str: ...
def writer_of(t: Tensor, version: int) -> str | None: ...
