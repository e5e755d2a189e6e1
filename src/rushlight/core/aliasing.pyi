# What aliasing.pyx offers to Python.
from rushlight.core.tensor import Tensor

def disjoint(tensors: list[Tensor]) -> bool: ...
