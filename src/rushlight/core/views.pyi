# What views.pyx offers to Python.
from collections.abc import Sequence

from rushlight.core.tensor import Tensor

def mark_as_view(r: Tensor, t: Tensor) -> None: ...
def view_strides(sizes: Sequence[int], strides: Sequence[int], new_sizes: Sequence[int]) -> tuple[int, ...] | None: ...
