# What joining.pyx offers to Python.
from collections.abc import Sequence

from rushlight.core.dtypes import dtype
from rushlight.core.tensor import Tensor

def join(
    tensors: Sequence[Tensor], dim: int, stacked: bool, dtype: dtype | None = None,
) -> Tensor | list[Tensor] | int | None: ...
def needs_history(tensors: Sequence[Tensor]) -> bool: ...
def part(whole: Tensor, dim: int, ends: list[int], stacked: bool) -> list[Tensor] | None: ...
