# What replay.pyx offers to Python.
from collections.abc import Callable, Sequence
from typing import Any
from weakref import ReferenceType

from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor

ABSENT: object

NO_FIT: object

def has_attributes(t: Tensor) -> bool: ...
def is_plain_leaf(t: Tensor) -> bool: ...
def flat(args: tuple[Any, ...]) -> list[Any]: ...
def gradients(outputs: Sequence[Tensor], cotangents: Sequence[Tensor], operands: Sequence[Tensor]) -> list[Tensor]: ...

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
        leaves: list[Leaf],
    ) -> None: ...

class Leaf:
    def __init__(self, where: Tensor | int, gets: bool, known: bool, grad: Tensor | None, number: int = -1) -> None: ...

class Turn:
    drops: tuple[int, ...]

class Line(Turn):
    def __init__(
        self,
        op: Operator,
        args: list[tuple[int, Any]],
        results: int | tuple[int, ...] | None,
        out: tuple[int, Any] | None = None,
        drops: tuple[int, ...] = (),
        asks: bool = False,
        grad: int = -1,
        lets_go: tuple[Callable[[list[Any], list[Any]], object], tuple[int, ...], tuple[Any, ...]] | None = None,
        writes: dict[int, int] | None = None,
        lies: dict[int, Tensor] | None = None,
    ) -> None: ...

class Act(Turn):
    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[tuple[int, Any], ...],
        result: int = -1,
        drops: tuple[int, ...] = (),
        grad: int = -1,
    ) -> None: ...

class Store(Turn):
    def __init__(self, leaf: tuple[int, Any], value: tuple[int, Any], drops: tuple[int, ...] = ()) -> None: ...

class Replay:
    runs: int
    def __init__(
        self,
        guard: Guard,
        lines: Sequence[Turn],
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
