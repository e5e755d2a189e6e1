# What tape.pyx offers to Python.
from collections.abc import Iterable
from enum import IntFlag
from typing import Any

from rushlight.core.dispatch import Operator
from rushlight.core.dtypes import dtype
from rushlight.core.tensor import Tensor

class Taken(IntFlag):
    UNKNOWN = 0
    NOTED = 1
    APART = 2
    COMPOSED = 3
    WRITES = 4
    ALIASED = 5
    BY_RECORDER = 6

class From(IntFlag):
    FROM_STEP = 0
    FROM_VALUE = 1
    FROM_INT = 2
    FROM_NUMBER = 3
    FROM_SEVERAL = 4
    FROM_INTS = 5

class Refused(Exception): ...

def lies_alike(a: Tensor, b: Tensor) -> bool: ...
def is_shared_outside(t: Tensor) -> bool: ...
def set_taken(op: Operator, how: Taken) -> None: ...

class Place:
    before: Place | None
    call: Any
    kinds: tuple[Any, ...]
    view: tuple[int, int] | None
    children: dict[Any, Place]
    plans: dict[tuple[int, ...], Any]
    def __init__(
        self,
        before: Place | None = None,
        call: Any = None,
        kinds: tuple[Any, ...] = (),
        view: tuple[int, int] | None = None,
    ) -> None: ...
    def child(self, key: Any, call: Any, kinds: tuple[Any, ...], view: tuple[int, int] | None) -> Place: ...
    def path(self) -> list[Place]: ...

class Step:
    args: list[tuple[From, Any]]
    results: int | tuple[int, ...] | None
    program: bool
    gives: tuple[int, ...]
    drops: tuple[int, ...]
    def __init__(
        self,
        op: Operator,
        args: list[tuple[From, Any]],
        results: int | tuple[int, ...] | None,
        program: bool = False,
        gives: tuple[int, ...] = (),
    ) -> None: ...
    def takes(self) -> list[int]: ...

class Tape:
    values: list[Tensor]
    shadows: list[Tensor]
    versions: list[int | None]
    ints: list[int]
    numbers: list[Any]
    deferred: list[Tensor]
    place: Place | None
    n_calls: int
    busy: bool
    def __init__(self, roots: dict[Any, Place]) -> None: ...
    def clear(self) -> None: ...
    def begins(self) -> bool: ...
    @property
    def common(self) -> tuple[bool, bool, dtype]: ...
    def holds(self, t: Tensor) -> bool: ...
    def reads(self, t: Tensor) -> bool: ...
    def waits(self, t: Tensor) -> bool: ...
    def defer(self, t: Tensor) -> None: ...
    def alone(self, t: Tensor) -> bool: ...
    def arrive(self) -> None: ...
    def reads_memory_of(self, t: Tensor) -> bool: ...
    def slot(self, t: Tensor) -> int: ...
    def forget(self, values: int, ints: int, numbers: int) -> None: ...
    def results(self, found: list[Tensor]) -> list[Tensor]: ...
    def advance(self, place: Place) -> None: ...
    def held(self) -> tuple[int, ...]: ...
    def bytes_of(self, numbers: tuple[int, ...]) -> int: ...
    def written(self) -> bool: ...
    def give(self, k: int, t: Tensor) -> Tensor: ...
    def run_steps(self, steps: list[Step], held: tuple[int, ...], again: list[Step]) -> None: ...
    def learn(
        self,
        before: Place,
        after: Place,
        op: Operator,
        shown: list[Any],
        slots: Iterable[int],
        ints: list[int],
        numbers: tuple[int, ...],
    ) -> None: ...
