"""Questions about sizes that a traced program leaves open, and their errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.names.symbols import SymInt

__all__ = [
    "ConstraintViolationError",
    "GuardOnDataDependentSymNode",
    "guard_or_false",
    "guard_or_true",
    "guard_size_oblivious",
    "is_concrete_int",
    "statically_known_true",
    "sym_eq",
]


class ConstraintViolationError(RuntimeError):
    """A size is none of those that were declared."""


class GuardOnDataDependentSymNode(RuntimeError):
    """Python would go one way or another by the value of a tensor."""


def guard_or_false(a: Any) -> bool:
    """Whether `a` holds; False where that depends on the value of a tensor."""
    try:
        return bool(a)
    except GuardOnDataDependentSymNode:
        return False


def guard_or_true(a: Any) -> bool:
    """Whether `a` holds; True where that depends on the value of a tensor."""
    try:
        return bool(a)
    except GuardOnDataDependentSymNode:
        return True


def guard_size_oblivious(expr: Any) -> bool:
    """Whether `expr` holds: a size that is not known yet counts as none of 0 and 1, as every size does here."""
    return bool(expr)


statically_known_true = guard_or_false


def is_concrete_int(a: Any) -> bool:
    """Whether `a` is a number that a traced program has as it is, and no size that it leaves open."""
    return isinstance(a, int) and not isinstance(a, SymInt)


def sym_eq(x: Any, y: Any) -> bool:
    """Whether two numbers, or two sequences of numbers, are equal."""
    if isinstance(x, Sequence) and isinstance(y, Sequence):
        return len(x) == len(y) and all(map(sym_eq, x, y))
    return bool(x == y)
