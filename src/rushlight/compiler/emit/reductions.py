"""Reductions as (identity, combine) over values in lanes, and the fixed tree in which lanes meet."""

from __future__ import annotations

import math

from rushlight.compiler.emit.scalar import I32, I64, Value, compute_types, const, extreme, greater, pointwise
from rushlight.compiler.llvm import ir
from rushlight.core.dtypes import dtype
from rushlight.program.loops import LANES


def state_types(name: str, d: dtype) -> list[ir.Type]:
    """The element types of a reduction's state over operands of dtype d."""
    types = compute_types(d)
    return [*types, I64] if name in ("argmax", "argmin") else types


def _lowest(d: dtype, largest: bool) -> float | int:
    if d.kind == "f":
        return -math.inf if largest else math.inf
    if d.kind == "b":
        return 0 if largest else -1
    bits = 8 * d.itemsize
    if d.kind == "u":
        return 0 if largest else -1
    return -(1 << (bits - 1)) if largest else (1 << (bits - 1)) - 1


def identity(name: str, d: dtype, lanes: int) -> Value:
    """The state that combining leaves alone."""
    types = compute_types(d)
    if name in ("reduce_sum", "cumsum"):
        return [const(t, 0, lanes) for t in types]
    if name in ("reduce_prod", "cumprod"):
        one: list[float] = [1.0] * len(types)
        if d.kind == "c":
            one[1] = 0.0
        return [const(t, x, lanes) for t, x in zip(types, one, strict=True)]
    if name in ("reduce_and", "reduce_or", "reduce_xor"):
        return [const(types[0], -1 if name == "reduce_and" else 0, lanes)]
    low = const(types[0], _lowest(d, name.endswith("max")), lanes)
    if name in ("argmax", "argmin"):
        return [low, const(I64, (1 << 63) - 1, lanes)]
    return [low]


def combine(b: ir.IRBuilder, name: str, d: dtype, x: Value, y: Value) -> Value:
    """x then y, in that order."""
    if name == "reduce_sum":
        return pointwise(b, "add", [x, y], d.compute, d.compute) if d.kind == "c" else [_plain(b, "add", x[0], y[0], d)]
    if name == "reduce_prod":
        return pointwise(b, "mul", [x, y], d.compute, d.compute) if d.kind == "c" else [_plain(b, "mul", x[0], y[0], d)]
    if name == "reduce_and":
        return [b.and_(x[0], y[0])]
    if name == "reduce_or":
        return [b.or_(x[0], y[0])]
    if name == "reduce_xor":
        return [b.xor(x[0], y[0])]
    if name in ("reduce_max", "reduce_min"):
        return [extreme(b, x[0], y[0], d, name == "reduce_max")]
    if name in ("argmax", "argmin"):
        # y wins when it is better, or equal (NaN equals NaN) and earlier; so any order of combining gives the first
        # winner.
        better = greater(b, y[0], x[0], d, ">" if name == "argmax" else "<")
        equal = greater(b, y[0], x[0], d, "==")
        if d.kind == "f":
            nan_x, nan_y = (b.fcmp_unordered("uno", v[0], v[0]) for v in (x, y))
            better = b.or_(better, b.and_(nan_y, b.not_(nan_x)))
            equal = b.or_(equal, b.and_(nan_x, nan_y))
        wins = b.or_(better, b.and_(equal, b.icmp_signed("<", y[1], x[1])))
        return [b.select(wins, q, p) for p, q in zip(x, y, strict=True)]
    raise NotImplementedError(f"{name}: the compiler has no such reduction")


def _plain(b: ir.IRBuilder, name: str, x: ir.Value, y: ir.Value, d: dtype) -> ir.Value:
    if d.kind == "f":  # half types accumulate in float and are rounded once, at the end
        return b.fadd(x, y) if name == "add" else b.fmul(x, y)
    if d.kind == "b":
        return b.or_(x, y) if name == "add" else b.and_(x, y)
    return b.add(x, y) if name == "add" else b.mul(x, y)


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
