"""Reductions as (identity, combine) over values in lanes, and the fixed tree in which lanes meet."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from rushlight.compiler.emit.pointwise import extreme, greater, pointwise
from rushlight.compiler.emit.scalar import Value, compute_types
from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.ir import I32, I64
from rushlight.compiler.llvm.lanes import const
from rushlight.core.dtypes import dtype
from rushlight.program.loops import LANES

ARG = ("argmax", "argmin")  # whose state has the element's index too


class Reduction(NamedTuple):
    """The state that combining leaves alone, and x then y, in that order."""

    identity: Callable[[dtype, int], Value]
    combine: Callable[[ir.IRBuilder, dtype, Value, Value], Value]


def state_types(name: str, d: dtype) -> list[ir.Type]:
    """The element types of a reduction's state over operands of dtype d."""
    types = compute_types(d)
    return [*types, I64] if name in ARG else types


def identity(name: str, d: dtype, lanes: int) -> Value:
    """The state that combining leaves alone."""
    return _of(name).identity(d, lanes)


def combine(b: ir.IRBuilder, name: str, d: dtype, x: Value, y: Value) -> Value:
    """x then y, in that order."""
    return _of(name).combine(b, d, x, y)


def _of(name: str) -> Reduction:
    found = _REDUCTIONS.get(name)
    if found is None:
        raise NotImplementedError(f"{name}: the compiler has no such reduction")
    return found


def _number(value: int) -> Callable[[dtype, int], Value]:
    """The number as a state; of complex numbers a real one."""
    return lambda d, lanes: [const(t, 0 if k else value, lanes) for k, t in enumerate(compute_types(d))]


def _lowest(d: dtype, largest: bool) -> float | int:
    if d.kind == "f":
        return -math.inf if largest else math.inf
    if d.kind in "bu":
        return 0 if largest else -1
    bits = 8 * d.itemsize
    return -(1 << (bits - 1)) if largest else (1 << (bits - 1)) - 1


def _arithmetic(name: str) -> Callable[[ir.IRBuilder, dtype, Value, Value], Value]:
    """add or mul; half types accumulate in float and are rounded once, at the end."""
    instruction = {"c": name, "f": f"f{name}", "b": {"add": "or_", "mul": "and_"}[name], "u": name, "i": name}

    def combine(b: ir.IRBuilder, d: dtype, x: Value, y: Value) -> Value:
        if d.kind == "c":
            return pointwise(b, name, [x, y], d.compute, d.compute)
        return [getattr(b, instruction[d.kind])(x[0], y[0])]

    return combine


def _bitwise(name: str) -> Callable[[ir.IRBuilder, dtype, Value, Value], Value]:
    return lambda b, d, x, y: [getattr(b, name)(x[0], y[0])]


def _extreme(largest: bool) -> Reduction:
    return Reduction(
        lambda d, lanes: [const(compute_types(d)[0], _lowest(d, largest), lanes)],
        lambda b, d, x, y: [extreme(b, x[0], y[0], d, largest)],
    )


def _place_of_extreme(largest: bool) -> Reduction:
    def combine(b: ir.IRBuilder, d: dtype, x: Value, y: Value) -> Value:
        """y wins when it is better, or equal (NaN equals NaN) and earlier; so any order of combining gives the first
        winner.
        """
        better = greater(b, y[0], x[0], d, ">" if largest else "<")
        equal = greater(b, y[0], x[0], d, "==")
        if d.kind == "f":
            nan_x, nan_y = (b.fcmp_unordered("uno", v[0], v[0]) for v in (x, y))
            better = b.or_(better, b.and_(nan_y, b.not_(nan_x)))
            equal = b.or_(equal, b.and_(nan_x, nan_y))
        wins = b.or_(better, b.and_(equal, b.icmp_signed("<", y[1], x[1])))
        return [b.select(wins, q, p) for p, q in zip(x, y, strict=True)]

    low = _extreme(largest).identity
    return Reduction(lambda d, lanes: [*low(d, lanes), const(I64, (1 << 63) - 1, lanes)], combine)


_REDUCTIONS = {
    "reduce_sum": Reduction(_number(0), _arithmetic("add")),
    "reduce_prod": Reduction(_number(1), _arithmetic("mul")),
    "reduce_and": Reduction(_number(-1), _bitwise("and_")),
    "reduce_or": Reduction(_number(0), _bitwise("or_")),
    "reduce_xor": Reduction(_number(0), _bitwise("xor")),
    "reduce_max": _extreme(True),
    "reduce_min": _extreme(False),
    "argmax": _place_of_extreme(True),
    "argmin": _place_of_extreme(False),
}


def tree(b: ir.IRBuilder, name: str, d: dtype, v: Value) -> Value:
    """The lanes of a 16-lane state combined: j with j + 8, then + 4, + 2, + 1."""
    width = LANES
    while width > 1:
        width //= 2
        low = [part_of(b, x, 0, width) for x in v]
        high = [part_of(b, x, width, width) for x in v]
        v = combine(b, name, d, low, high)
    return [b.extract_element(x, I32(0)) if x.type.count else x for x in v]


def part_of(b: ir.IRBuilder, x: ir.Value, start: int, n: int) -> ir.Value:
    return b.shuffle(x, None, range(start, start + n))


def tree_of_lanes(b: ir.IRBuilder, name: str, d: dtype, lanes: list[Value]) -> Value:
    """The same tree over 16 states, each of them vectors of columns."""
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [combine(b, name, d, lanes[j], lanes[j + half]) for j in range(half)]
    return lanes[0]


def where(b: ir.IRBuilder, mask: ir.Value, x: Value, y: Value) -> Value:
    return [b.select(mask, p, q) for p, q in zip(x, y, strict=True)]
