# What replay.pyx offers to Python.
from collections.abc import Callable
from typing import Any
from weakref import ReferenceType

from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor

ABSENT: object

NO_FIT: object

def has_attributes(t: Tensor) -> bool: ...
def flat(args: tuple[Any, ...]) -> list[Any]: ...

class Guard:
    def __init__(
        self,
        args: tuple[Any, ...],
        names: tuple[str, ...],
        objects: dict[int, tuple[ReferenceType[Any], dict[Any, Any] | None]],
        constants: list[Tensor],
        written: list[Tensor],
        stands: list[tuple[Any, Any, Any]],
        types: list[tuple[type, str, Any]],
        kinds: list[tuple[Any, type, dict[Any, Any] | None]],
        contents: list[dict[Any, Any]],
        items: list[tuple[list[Any], tuple[Any, ...]]],
        attributes: list[tuple[Any, str, Any]],
        empty: list[dict[Any, Any]],
    ) -> None: ...

class Line:
    def __init__(
        self,
        op: Operator,
        args: list[tuple[int, Any]],
        results: int | tuple[int, ...] | None,
        out: tuple[int, Any] | None = None,
        drops: tuple[int, ...] = (),
        asks: bool = False,
        grad: int = -1,
    ) -> None: ...

class Replay:
    runs: int
    def __init__(
        self,
        guard: Guard,
        lines: list[Line],
        size: int,
        places: tuple[int, ...],
        single: int,
        leaves: tuple[tuple[int, Any], ...],
        rebuild: Callable[[list[Any]], Any],
    ) -> None: ...
    @property
    def calls(self) -> int: ...
    def fits(self, args: tuple[Any, ...], names: tuple[str, ...] = ()) -> bool: ...
    def __call__(self, args: tuple[Any, ...], names: tuple[str, ...] = ()) -> Any: ...
