"""Symbolic numbers as types to ask for: sizes of a program that is being traced are `SymInt`s; and the `sym_*`
functions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NoReturn

from rushlight.program.sym import Sym, Undecided, opposite

__all__ = [
    "SymBool",
    "SymFloat",
    "SymInt",
    "sym_float",
    "sym_fresh_size",
    "sym_int",
    "sym_ite",
    "sym_max",
    "sym_min",
    "sym_not",
    "sym_sqrt",
    "sym_sum",
]


class _Kind(type):
    """Types whose instances are made by tracing alone."""

    stands_for: type | None = None

    def __instancecheck__(cls, instance: object) -> bool:
        return cls.stands_for is not None and isinstance(instance, cls.stands_for)

    def __call__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(f"{cls.__name__}(): symbols are made by tracing a function, never by a program; found a call")


class SymInt(metaclass=_Kind):
    """A size that is not known while a function is traced."""

    stands_for = Sym


class SymFloat(metaclass=_Kind):
    """A real number that is not known while a function is traced: nothing here is one."""


class SymBool(metaclass=_Kind):
    """The answer of a comparison of sizes that is not known while a function is exported."""

    stands_for = Undecided


def sym_int(a: Any) -> Any:
    """The number without its fraction; a symbol as it is."""
    return a if isinstance(a, SymInt) else math.trunc(a)


def sym_float(a: Any) -> Any:
    """The number as a float; a symbol's example value."""
    return a.__sym_float__() if hasattr(a, "__sym_float__") else float(a)


def sym_max(a: Any, b: Any) -> Any:
    """The larger of two numbers; a float if one is."""
    found = a if a >= b else b
    return float(found) if isinstance(a, float) or isinstance(b, float) else found


def sym_min(a: Any, b: Any) -> Any:
    """The smaller of two numbers; a float if one is."""
    found = a if a <= b else b
    return float(found) if isinstance(a, float) or isinstance(b, float) else found


def sym_not(a: Any) -> Any:
    """The other truth value; a SymBool of one."""
    return opposite(a) if isinstance(a, SymBool) else not a


def sym_ite(b: Any, t: Any, f: Any) -> Any:
    """`t` if `b`, else `f`, which must be of one type."""
    if type(t) is not type(f):
        raise TypeError(f"sym_ite(): 't' and 'f' must be of one type; found {type(t).__name__} and {type(f).__name__}")
    return t if b else f


def _sym_sqrt(a: Any) -> float:
    """The square root."""
    return math.sqrt(a)


sym_sqrt = _sym_sqrt


def sym_sum(*args: Any) -> Any:
    """The sum of numbers, given one by one or as one list."""
    return sum(args[0]) if len(args) == 1 and isinstance(args[0], Iterable) else sum(args)


def sym_fresh_size(expr: Any) -> NoReturn:
    """Not there: NotImplementedError."""
    raise NotImplementedError("sym_fresh_size(): there is no whole-program compilation, whose sizes this names")
