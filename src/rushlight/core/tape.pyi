# What tape.pyx offers to Python.
from collections.abc import Callable, Iterable
from enum import IntFlag
from typing import Any

from rushlight.core.dispatch import Operator, Taken
from rushlight.core.dtypes import dtype
from rushlight.core.tensor import Tensor

class From(IntFlag):
    FROM_STEP = 0
    FROM_VALUE = 1
    FROM_INT = 2
    FROM_NUMBER = 3
    FROM_SEVERAL = 4
    FROM_INTS = 5

class Refused(Exception): ...

def set_taken(op: Operator, how: Taken) -> None: ...

class Exact:
    def __init__(self, key: Any) -> None: ...

class Place:
    before: Place | None
    call: Any
    kinds: tuple[Any, ...]
    view: tuple[int, int] | None
    children: dict[Any, Place]
    plans: dict[tuple[int, ...], Any]
    writes: dict[Any, Place]
    kept: frozenset[int]
    label: str
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
    op: Operator
    args: list[tuple[From, Any]]
    results: int | tuple[int, ...] | None
    program: bool
    gives: tuple[int, ...]
    lets_go: Callable[[Tape, list[Any]], None] | None
    out: tuple[From, Any] | None
    drops: tuple[int, ...]
    grad: int
    def __init__(
        self,
        op: Operator,
        args: list[tuple[From, Any]],
        results: int | tuple[int, ...] | None,
        program: bool = False,
        gives: tuple[int, ...] = (),
        lets_go: Callable[[Tape, list[Any]], None] | None = None,
        grad: bool | None = None,
        out: tuple[From, Any] | None = None,
    ) -> None: ...
    def takes(self) -> list[int]: ...

class Tape:
    values: list[Tensor]
    shadows: list[Tensor]
    versions: list[int | None]
    ints: list[int]
    numbers: list[Any]
    deferred: list[Tensor]
    writes: dict[int, int]
    at_once: list[tuple[int, int]]
    place: Place | None
    n_calls: int
    busy: bool
    under_way: Any
    ended: bool
    done: int
    def __init__(self, roots: dict[Any, Place]) -> None: ...
    def clear(self) -> None: ...
    def begins(self, wants: bool = True) -> bool: ...
    def in_state(self) -> bool: ...
    def fits(self, op: Operator, values: list[Any]) -> bool: ...
    def runs_at_once(self) -> None: ...
    @property
    def common(self) -> tuple[bool, bool, dtype]: ...
    def holds(self, t: Tensor) -> bool: ...
    def reads(self, t: Tensor) -> bool: ...
    def stand_for(self, pairs: list[tuple[Tensor, Tensor]]) -> bool: ...
    def is_held(self, k: int) -> bool: ...
    def waits(self, t: Tensor) -> bool: ...
    def alone(self, t: Tensor) -> bool: ...
    def arrive(self) -> None: ...
    def wait(self) -> None: ...
    def note_write(self, op: Operator, values: list[Any], dests: list[Tensor]) -> bool: ...
    def reads_memory_of(self, t: Tensor) -> bool: ...
    def slot(self, t: Tensor) -> int: ...
    def forget(self, values: int, ints: int, numbers: int) -> None: ...
    def forget_unfinished(self) -> None: ...
    def results(self, found: list[Tensor]) -> list[Tensor]: ...
    def advance(self, place: Place, dests: tuple[Tensor, ...] = (), ended: bool = False) -> None: ...
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
