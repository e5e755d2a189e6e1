"""Forward mode by dual numbers: `with dual_level(): y, dy = unpack_dual(f(make_dual(x, dx)))`."""

from __future__ import annotations

from collections import namedtuple

from rushlight.core import locks
from rushlight.core import tensor as _core
from rushlight.core.checks import check_argument, check_that
from rushlight.core.tensor import Tensor
from rushlight.func import derive as _derive
from rushlight.func.levels import Dual, Level, dual

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]

UnpackedDualTensor = namedtuple("UnpackedDualTensor", ["primal", "tangent"])
_levels: list[Level] = []
_current_level = -1  # the innermost level's number, which packages read; -1 outside of all


def _count() -> int:
    """The innermost level's number, noted."""
    global _current_level
    _current_level = len(_levels) - 1
    return _current_level


def enter_dual_level() -> int:
    """Start a level of forward mode; returns its number."""
    _levels.append(Level("jvp"))
    _levels[-1]._begin_()
    return _count()


def exit_dual_level(*, level: int | None = None) -> None:
    """End the innermost level; RuntimeError when `level` is another one, or there is none."""
    innermost = _current_level
    check_that(not innermost < 0, "exit_dual_level()", "a level", "have been entered", "none")
    if level not in (None, innermost):
        raise RuntimeError(f"exit_dual_level(): 'level' must be the innermost one, {innermost}; found {level}")
    _levels[-1]._end_(None)
    _levels.pop()
    _count()


class dual_level(locks.Block[int]):
    """A level of forward mode for the length of a block."""

    number: int

    def _before_(self) -> int:
        """How many levels there are."""
        return len(_levels)

    def _begin_(self) -> int:
        """Enter a level."""
        self.number = enter_dual_level()
        return self.number

    def _end_(self, before: int) -> None:
        """Leave it."""
        while len(_levels) > before:
            _levels[-1]._end_(None)
            _levels.pop()
        _count()


def _level(number: int | None, what: str) -> Level | None:
    if number is None:
        return _levels[-1] if _levels else None
    if not 0 <= number < len(_levels):
        raise RuntimeError(f"{what}(): there is no forward AD level {number}")
    return _levels[number]


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """`tensor` with a tangent of the same shape and dtype.

    Raises:
        RuntimeError: outside of a dual level.
        ValueError: for a tensor that is neither floating point nor complex.
    """
    at = _level(level, "make_dual")
    if at is None:
        raise RuntimeError("make_dual(): must be called inside of a dual_level(); found no level")
    for name, t in (("tensor", tensor), ("tangent", tangent)):
        check_argument(t.dtype.kind in "fc", "make_dual()", name, "be floating point or complex", t.dtype, ValueError)
    if tensor.shape != tangent.shape:
        raise RuntimeError(
            f"make_dual(): 'tangent' must have the shape {tuple(tensor.shape)} of 'tensor'; found "
            f"{tuple(tangent.shape)}"
        )
    return dual(tensor, tangent, at)


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """(primal, tangent) of a dual tensor; the tangent is None for a tensor without one."""
    at = _level(level, "unpack_dual")
    if at is None:
        return UnpackedDualTensor(tensor, None)
    if isinstance(tensor, Dual) and tensor.level is at:
        return UnpackedDualTensor(tensor.primal, tensor.tangent)
    return UnpackedDualTensor(tensor, None)


_ = (_core, _derive)
