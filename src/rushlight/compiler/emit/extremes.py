"""The place of a row's first maximum or minimum, in two steps.

A state of a value and a place for each lane takes some twenty instructions a vector. So the extreme of a chunk is found
first, which is as quick as reading, and then the first element that equals it, in the nearest cache, up to where that
is. Every order of combining gives the first winner (`reductions.py`), so the result is that of one sweep.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from rushlight.compiler.emit import memory
from rushlight.compiler.emit.frame import Frame
from rushlight.compiler.emit.item import Item
from rushlight.compiler.emit.line import Line
from rushlight.compiler.emit.pointwise import greater
from rushlight.compiler.emit.reductions import combine, identity, part_of, tree, where
from rushlight.compiler.emit.scalar import Value
from rushlight.compiler.emit.sweeps import Chunk, State, write_partials
from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.control import while_
from rushlight.compiler.llvm.ir import I64
from rushlight.compiler.llvm.lanes import intrinsic, lanes_of, splat
from rushlight.core.dtypes import dtype
from rushlight.program.loops import CHUNK, LANES, Node


class Walk(Protocol):
    """A sweep along one dim (`vectors.py`), `lanes` elements at a time."""

    frame: Frame
    item: Item
    nodes: list[Node]
    line: Line
    lanes: int

    def visit(self, lo: ir.Value, hi: ir.Value, accumulate: Callable[..., None] | None) -> None:
        """Visit [lo, hi), and let `accumulate` take the values in."""


def row_place(item: Item, walk: Walk, node: Node, start: ir.Value, end: ir.Value, chunk: Chunk | None) -> None:
    """Find the place in [start, end) of the reduced elements; it is settled, or goes to the workspace as that of a
    chunk.
    """
    f = item.frame
    b = f.b
    state = State(f, node)
    best = state.variables(0)
    state.set(best, state.identity(0))
    with f.loop(start, end, CHUNK) as c0:
        c1 = f.least(end, b.add(c0, I64(CHUNK)))
        (extreme,) = _extreme(walk, state, c0, c1)
        before = b.load(best[0], typ=extreme.type)
        better = greater(b, extreme, before, state.d, ">" if state.name == "argmax" else "<")
        if state.d.kind == "f":
            better = b.or_(better, b.and_(_nan(b, extreme), b.not_(_nan(b, before))))
        with b.if_then(b.or_(better, b.icmp_signed("==", c0, start))):
            state.set(best, [extreme, _first(walk, node, state.d, extreme, c0, c1)])
    if chunk is None:
        item.settle(node, state.finish(state.read(best, 0)))
    else:
        write_partials(f, [state], [state.read(best, 0)], chunk[1])


def _extreme(walk: Walk, state: State, start: ir.Value, end: ir.Value) -> Value:
    """The extreme of [start, end)."""
    f = walk.frame
    b, d, name = f.b, state.d, "reduce_max" if state.name == "argmax" else "reduce_min"
    nothing = identity(name, d, LANES)
    held = f.var(nothing[0].type, nothing[0])

    def accumulate(i: ir.Value, axis: memory.Axis | None, env: dict[int, Value]) -> None:
        (x,) = env[state.node.args[0].id]
        if axis is None:
            parts = [[part_of(b, x, k, LANES)] for k in range(0, lanes_of(x), LANES)]
        else:
            x = splat(b, x, LANES)
            parts = [[x] if axis.path == "whole" else where(b, axis.mask, [x], nothing)]
        while len(parts) > 1:
            parts = [combine(b, name, d, p, q) for p, q in zip(parts[::2], parts[1::2], strict=True)]
        b.store(combine(b, name, d, [b.load(held, typ=nothing[0].type)], parts[0])[0], held)

    walk.visit(start, end, accumulate)
    return tree(b, name, d, [b.load(held, typ=nothing[0].type)])


def _first(walk: Walk, node: Node, d: dtype, extreme: ir.Value, start: ir.Value, end: ir.Value) -> ir.Value:
    """The place of the first element of [start, end) that equals the extreme, which is there."""
    f, lanes = walk.frame, walk.lanes
    b = f.b
    at, found = f.var(I64, start), f.var(I64, I64(-1))
    kind = node.args[0].id

    def look(x: ir.Value, i: ir.Value, there: ir.Value | None) -> None:
        n = lanes_of(x)
        wanted = splat(b, extreme, n)
        equal = greater(b, x, wanted, d, "==")
        if d.kind == "f":
            equal = b.or_(equal, b.and_(_nan(b, x), _nan(b, wanted)))
        if there is not None:
            equal = b.and_(equal, there)
        word = ir.integer(n)
        bits = b.bitcast(equal, word)
        with b.if_then(b.icmp_unsigned("!=", bits, word(0)), likely=False):
            lane = intrinsic(b, "cttz", word, [bits, ir.I1(1)])
            b.store(b.add(i, lane if n == 64 else b.zext(lane, I64)), found)
        b.store(b.add(i, I64(n)), at)

    def goes_on(n: int) -> ir.Value:
        left = b.sub(end, b.load(at, typ=I64))
        return b.and_(b.icmp_signed(">=", left, I64(n)), b.icmp_signed("<", b.load(found, typ=I64), I64(0)))

    with while_(b, lambda: goes_on(lanes)):
        i = b.load(at, typ=I64)
        here = walk.line.open_group(i, lanes)
        env = walk.item.sweep(walk.nodes, here.values, lanes, None, here.pointer)
        look(splat(b, env[kind][0], lanes), i, None)
    with while_(b, lambda: goes_on(1)):
        i = b.load(at, typ=I64)
        tail = walk.line.open(i, b.sub(end, i))
        env = walk.item.sweep(walk.nodes, tail.values, LANES, tail.axis, tail.pointer)
        look(splat(b, env[kind][0], LANES), i, tail.axis.mask_of(tail.axis.rem))
    return b.load(found, typ=I64)


def _nan(b: ir.IRBuilder, x: ir.Value) -> ir.Value:
    return b.fcmp_unordered("uno", x, x)
