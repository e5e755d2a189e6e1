# What flatten.pyx offers to Python.
from collections.abc import Callable
from enum import IntEnum
from typing import Any

from rushlight.core.dtypes import dtype

class Kind(IntEnum):
    P_TENSOR = 0
    P_TENSORS = 1
    P_SCALAR = 2
    P_INT = 3
    P_INTS = 4
    P_STATIC = 5
    P_OPERAND = 6
    P_REAL = 7
    P_SIZES = 8

class Param:
    name: str
    kind: int
    default: Any
    required: bool
    optional: bool
    keyword_only: bool
    varargs: bool
    specialize: frozenset[float]
    by_sign: bool
    like: int
    fixed: bool
    def __init__(
        self, name: str, kind: int, default: Any = None, required: bool = True, optional: bool = False,
        keyword_only: bool = False, varargs: bool = False, specialize: frozenset[float] = ..., by_sign: bool = False,
        like: int = -1,
    ) -> None: ...

def default_dtype_is(d: dtype) -> None: ...
def is_special_number(p: Param, v: object) -> bool: ...
def shared_parameters(
    names: tuple[str, ...], notes: dict[str, Any], defaults: dict[str, Any], n_positional: int, own: set[str | None],
    make: Callable[[str, Any, Any, bool, bool], Param],
) -> list[Param]: ...
