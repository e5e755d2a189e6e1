"""Questions about sizes that a traced program leaves open, and their errors."""

from __future__ import annotations

import functools
import operator
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.names.symbols import SymBool, SymInt
from rushlight.program.sym import Undecided

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


def _check_answer(name: str, argument: str, a: Any) -> None:
    # A tensor's comparison stands for that of its item(), which no traced tensor has here.
    if not isinstance(a, (bool, SymBool, Tensor)):
        raise AssertionError(f"{name}(): '{argument}' must be a bool or a SymBool; found {type(a).__name__}")


def guard_or_false(a: Any) -> bool:
    """Whether `a` holds; False where that depends on the value of a tensor."""
    _check_answer("guard_or_false", "a", a)
    try:
        return bool(a)
    except GuardOnDataDependentSymNode:
        return False


def guard_or_true(a: Any) -> bool:
    """Whether `a` holds; True where that depends on the value of a tensor."""
    _check_answer("guard_or_true", "a", a)
    try:
        return bool(a)
    except GuardOnDataDependentSymNode:
        return True


def guard_size_oblivious(expr: Any) -> bool:
    """Whether `expr` holds: a size that is not known yet counts as none of 0 and 1, as every size does here."""
    _check_answer("guard_size_oblivious", "expr", expr)
    return bool(expr)


def statically_known_true(x: Any) -> bool:
    """Whether `x` holds for all sizes that a program is exported for; False where it depends on them. No guard is made.

    Args:
        x: a bool, or a comparison of sizes.

    Raises:
        AssertionError: `x` is neither.
    """
    _check_answer("statically_known_true", "x", x)
    return x.sure() is True if isinstance(x, Undecided) else guard_or_false(x)


def is_concrete_int(a: Any) -> bool:
    """Whether `a` is a number that a traced program has as it is, and no size that it leaves open."""
    if not isinstance(a, (int, SymInt)):
        raise AssertionError(f"is_concrete_int(): 'a' must be an int or a SymInt; found {type(a).__name__}")
    return not isinstance(a, SymInt)


def sym_eq(x: Any, y: Any) -> Any:
    """Whether two sizes, or two lists or tuples of sizes, are equal: a bool, or a SymBool where that depends on sizes.

    Raises:
        AssertionError: they are neither.
    """
    if isinstance(x, (list, tuple)) and isinstance(y, (list, tuple)):
        if len(x) != len(y):
            return False
        return functools.reduce(operator.and_, map(sym_eq, x, y), True)
    if isinstance(x, (int, SymInt)) and isinstance(y, (int, SymInt)):
        return x == y
    raise AssertionError(
        f"sym_eq(): 'x' and 'y' must be two ints or two sequences; found {type(x).__name__} and {type(y).__name__}"
    )
