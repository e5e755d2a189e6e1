# What execute.pyx offers to Python.
from collections.abc import Sequence
from typing import Any

from rushlight.core.tensor import Tensor

class Executable:
    plan: Any
    n_out: int
    def __init__(self, plan: Any, sym_sources: Sequence[tuple[Any, ...]], n_tensors: int, n_scalars: int) -> None: ...
    def launch(
        self,
        tensors: list[Tensor],
        ints: Sequence[int] = (),
        scalars: Sequence[complex] = (),
        dests: list[Tensor] | None = None,
    ) -> list[Tensor] | None: ...
    def belongs_to(self, operator: str) -> None: ...
    def time_steps(self) -> list[list[int]]: ...
