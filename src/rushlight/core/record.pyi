# What record.pyx offers to Python.
from collections.abc import Callable
from typing import Any

from rushlight.core.engine import Node
from rushlight.core.execute import Executable
from rushlight.core.tensor import Tensor

SAVED_HOOKS: list[tuple[Callable[[Tensor], Any], Callable[[Any], Tensor]]]

class CompiledCall:
    executable: Executable
    wrap: Any
    derivative: Derivative | None
    n_outputs: int
    warned: list[tuple[str, type[Warning], str | None]] | None
    program: Any
    def valid_for(self, found: list[tuple[int, str, float, int, bool]]) -> None: ...

class Derivative:
    label: str
    residuals: list[tuple[int, int]]
    active: list[int]
    cotangent_outputs: list[int]
    scalars: list[int]
    grads: list[int | None]
    n_own: int
    runs_once: bool
    own_scalars: list[int]
    backward: Any
    operands: list[int]
    compiled: CompiledCall | None
    operator: Callable[..., Any] | None
    n_syms: int
    again: Any
    origin: Any
    precompile: Callable[[], None] | None
    operator_again: Callable[..., Any] | None
    old: dict[int, int] | None

class PlanNode(Node):
    derivative: Derivative
    @property
    def line(self) -> str | None: ...
    def kept(self, i: int) -> Tensor: ...
    def hook_kept(self, i: int, pack: Callable[[Tensor], Any], unpack: Callable[[Any], Tensor]) -> None: ...
    def renew(self, t: Tensor) -> None: ...
    def ints(self) -> list[int]: ...
    def number(self, i: int) -> Any: ...
    @property
    def saved_tensors(self) -> tuple[Tensor, ...]: ...
def each_apart(found: list[Tensor], places: list[int | None]) -> list[Tensor | None]: ...
