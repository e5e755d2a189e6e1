# What dispatch.pyx offers to Python.
from collections.abc import Callable
from enum import IntFlag
from inspect import Signature
from typing import Any, Generic

from typing_extensions import TypeVar

from rushlight.core.base import NodeWatch, OperatorBase
from rushlight.core.flatten import Param
from rushlight.core.record import CompiledCall

R_co = TypeVar("R_co", covariant=True, default=Any)  # what it gives

# Its __get__, which returns the operator itself, is left out: an attribute declared as an Operator would be read as a
# method.
class Operator(OperatorBase, Generic[R_co]):
    __name__: str
    __dict__: dict[str, Any]
    name: str
    params: tuple[Param, ...]
    index: dict[str, int]
    definition: Any
    eager: Callable[..., Any] | None
    inplace: bool
    is_view: bool
    takes_out: bool
    words: Any
    implementations: dict[str, Callable[..., Any]]
    functional: Operator | None
    def __init__(
        self,
        name: str,
        params: list[Param],
        definition: Any = None,
        *,
        eager: Callable[..., Any] | None = None,
        inplace: bool = False,
        functional: Operator | None = None,
        is_view: bool = False,
        takes_out: bool = False,
    ) -> None: ...
    @property
    def __signature__(self) -> Signature: ...
    @property
    def shape_class(self) -> str: ...
    def __call__(self, *args: Any, **kwargs: Any) -> R_co: ...
    def usually(self, usual: Usual | None) -> Usual | None: ...
    def usual_result(self, values: list[Any]) -> Any: ...
    @property
    def noted(self) -> Operator | None: ...
    def as_program(self, values: list[Any]) -> tuple[Operator, tuple[Any, ...]] | None: ...
    def register(self, key: str, function: Callable[..., Any]) -> Callable[..., Any]: ...
    def compiled_calls(self) -> int: ...
    def cached(self) -> list[CompiledCall]: ...
    def signature_text(self) -> str: ...

class Taken(IntFlag):
    UNKNOWN = 0
    NOTED = 1
    APART = 2
    COMPOSED = 3
    WRITES = 4
    ALIASED = 5
    BY_RECORDER = 6
    MADE = 7

class Clock:
    def begin(self, kind: object) -> int: ...
    def end(self, at: int) -> None: ...
    def innermost_open(self) -> int: ...
    def events(self) -> list[tuple[Any, int, int, int]]: ...

class Nodes(NodeWatch):
    def __init__(self, others: Any) -> None: ...

def set_clock(clock: Clock | None) -> Clock | None: ...

class Usual: ...

class GoesTo(Usual):
    def __init__(
        self, op: Operator, direct: Operator, value: bool = False, copying: Operator | None = None
    ) -> None: ...
