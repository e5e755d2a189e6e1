"""Walks over several reduced dims as one row-major line of elements, LANES at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.compiler.emit.item import Item
from rushlight.compiler.emit.memory import (
    Axis,
    copy_element,
    gather_load,
    interleave,
    lane_numbers,
    load_scalar,
    load_whole,
    masked_load,
    masked_store,
    pack,
    parts_of,
    raw_type,
    scatter_store,
    step_of,
    unpack,
)
from rushlight.compiler.emit.scalar import Value
from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.ir import I1, I8, I32, I64, PTR
from rushlight.compiler.llvm.lanes import const, splat
from rushlight.core.dtypes import dtype
from rushlight.program.loops import LANES, Node, Store


class Odometer:
    """Walks several reduced dims as one row-major line, LANES elements at a time.

    When the next LANES elements lie within one innermost row they are loaded as a vector; when they are the end of one
    row and the start of the next, by two masked loads; otherwise (rows are short, or the elements end) they are
    collected one by one in a small buffer. So lane j always holds element i + j.
    """

    def __init__(self, item: Item, nodes: list[Node], stores: list[Store], start: ir.Value | None) -> None:
        f = self.frame = item.frame
        self.stores, b = stores, f.b
        self.loads = [n for n in nodes if n.op == "load"]
        self.indices = [n for n in nodes if n.op == "index" and n.param[0] == "r"]
        if any(n.op == "gather" for n in nodes):
            raise NotImplementedError("gather inside a reduction over several dims")
        self.used = sorted({n.param for n in self.loads} | {s.operand for s in stores})
        self.place = {k: f.var(PTR, item.base[k]) for k in self.used}
        self.count = [f.var(I64, I64(0)) for _ in range(f.R)]
        if start is not None:
            for k_dim, x in enumerate(f.decode(start, f.reduced)):
                b.store(x, self.count[k_dim])
                for k in self.used:
                    p = b.load(self.place[k], typ=PTR)
                    b.store(f.moved(p, b.mul(x, f.strides[k][f.K + k_dim])), self.place[k])
        self.buffers = {n.id: f.array(raw_type(f.dtypes[n.param]), 1) for n in self.loads}
        self.index_buffers = {n.id: f.array(ir.vector(I64, LANES), 1) for n in self.indices}
        for n in self.loads:
            t = raw_type(f.dtypes[n.param])
            b.store(const(t.element, 0, t.count), self.buffers[n.id])
        for n in self.indices:
            b.store(const(I64, 0, LANES), self.index_buffers[n.id])
        self.targets = [f.array(PTR, LANES) for _ in stores]
        self.stored = sorted({s.operand for s in stores})

    def open(self, i: ir.Value, rem: ir.Value, path: str = "either") -> Stretch:
        """The next LANES elements, of which `rem` exist; the walk goes on behind them."""
        return Stretch(self, rem)

    def one_row(self, axis: Axis, c: ir.Value, end: ir.Value) -> tuple[int, ir.Value, list[ir.Value], list[ir.Value]]:
        f = self.frame
        b, last = f.b, f.R - 1
        line = Axis(f, I64(LANES), path="whole")
        pointers = {k: b.load(self.place[k], typ=PTR) for k in self.used}
        got = load_whole(line, [(n.id, pointers[n.param], n.param) for n in self.loads])
        flat = [x for n in self.loads for x in got[n.id]]
        for n in self.indices:
            d = n.param[1]
            flat.append(axis.iota(c) if d == last else splat(b, b.load(self.count[d], typ=I64), LANES))
        self.move(I64(LANES), end)
        return 0, I64(LANES), [x for k in self.stored for x in (pointers[k], pointers[k])], flat

    def move(self, n: ir.Value, end: ir.Value) -> None:
        """n elements on in the innermost row, to position `end` of it, which may be its end."""
        f = self.frame
        b, last = f.b, f.R - 1
        for k in self.used:
            b.store(f.moved(b.load(self.place[k], typ=PTR), b.mul(n, f.strides[k][-1])), self.place[k])
        b.store(end, self.count[last])
        with b.if_then(b.icmp_signed("==", end, f.reduced[last])):
            self.carry(last)

    def two_rows(self, c: ir.Value, end: ir.Value) -> tuple[int, ir.Value, list[ir.Value], list[ir.Value]]:
        """The first n1 elements end a row, the others start the next."""
        f = self.frame
        b, last = f.b, f.R - 1
        n1 = b.sub(f.reduced[last], c)
        outer = [b.load(x, typ=I64) for x in self.count]
        before = {k: b.load(self.place[k], typ=PTR) for k in self.used}
        self.move(n1, f.reduced[last])
        # Where element 0 of these LANES would lie if the second row reached back so far.
        after = {k: f.moved(b.load(self.place[k], typ=PTR), b.neg(b.mul(n1, f.strides[k][-1]))) for k in self.used}
        low = self.low_lanes(n1)
        flat = []
        for n in self.loads:
            flat += self.two_loads(n.param, before[n.param], after[n.param], low)
        for n in self.indices:
            d = n.param[1]
            if d == last:
                x = b.add(lane_numbers(I64), splat(b, c, LANES))
                flat.append(b.select(low, x, b.sub(x, splat(b, f.reduced[last], LANES))))
            else:
                flat.append(b.select(low, splat(b, outer[d], LANES), splat(b, b.load(self.count[d], typ=I64), LANES)))
        n2 = b.sub(I64(LANES), n1)
        for k in self.used:
            b.store(f.moved(b.load(self.place[k], typ=PTR), b.mul(n2, f.strides[k][-1])), self.place[k])
        b.store(n2, self.count[last])
        return 1, n1, [x for k in self.stored for x in (before[k], after[k])], flat

    def low_lanes(self, n: ir.Value) -> ir.Value:
        b = self.frame.b
        return b.icmp_signed("<", lane_numbers(I32), splat(b, b.trunc(n, I32), LANES))

    def offsets(self, k: int, before: ir.Value, after: ir.Value, low: ir.Value) -> ir.Value:
        """Byte offsets of the lanes from `before`."""
        b = self.frame.b
        gap = b.sub(b.ptrtoint(after, I64), b.ptrtoint(before, I64))
        along = b.mul(lane_numbers(I64), splat(b, self.frame.strides[k][-1], LANES))
        return b.add(along, b.select(low, const(I64, 0, LANES), splat(b, gap, LANES)))

    def two_loads(self, k: int, before: ir.Value, after: ir.Value, low: ir.Value) -> Value:
        f = self.frame
        b, d = f.b, f.dtypes[k]
        if f.classes[k] == "b":
            return [
                b.select(low, splat(b, x, LANES), splat(b, y, LANES))
                for x, y in zip(load_scalar(b, before, d), load_scalar(b, after, d), strict=True)
            ]
        if f.classes[k] == "s":
            return gather_load(b, before, self.offsets(k, before, after, low), d)
        t = raw_type(d)
        mask = _parts(b, low, d)
        zero = const(t.element, 0, t.count)
        first = masked_load(b, t, before, step_of(d), mask, zero)
        return unpack(b, masked_load(b, t, after, step_of(d), b.not_(mask), first), d)

    def one_by_one(self, axis: Axis) -> tuple[int, ir.Value, list[ir.Value], list[ir.Value]]:
        f = self.frame
        b = f.b
        with f.loop(I64(0), axis.rem, 1) as j:
            for n in self.loads:
                d = f.dtypes[n.param]
                copy_element(
                    b,
                    b.load(self.place[n.param], typ=PTR),
                    b.gep(self.buffers[n.id], [b.mul(j, I64(d.itemsize))], source_etype=I8),
                    d,
                )
            for n in self.indices:
                b.store(b.load(self.count[n.param[1]], typ=I64), b.gep(self.index_buffers[n.id], [j], source_etype=I64))
            for s, t in zip(self.stores, self.targets, strict=True):
                b.store(b.load(self.place[s.operand], typ=PTR), b.gep(t, [j], source_etype=PTR))
            f.advance(self.place, self.count)
        flat = []
        for n in self.loads:
            d = f.dtypes[n.param]
            flat += unpack(b, b.load(self.buffers[n.id], typ=raw_type(d)), d)
        flat += [b.load(self.index_buffers[n.id], typ=ir.vector(I64, LANES)) for n in self.indices]
        return 2, I64(0), [ir.NULL for _ in self.stored for _ in range(2)], flat

    def carry(self, d: int) -> None:
        """The count of dim d has reached its size: wrap it and step the dim outside it."""
        f = self.frame
        b, K = f.b, f.K
        b.store(I64(0), self.count[d])
        for k in self.used:
            b.store(
                f.moved(b.load(self.place[k], typ=PTR), b.neg(b.mul(f.strides[k][K + d], f.reduced[d]))), self.place[k]
            )
        if d == 0:
            return
        x = b.add(b.load(self.count[d - 1], typ=I64), I64(1))
        b.store(x, self.count[d - 1])
        for k in self.used:
            b.store(f.moved(b.load(self.place[k], typ=PTR), f.strides[k][K + d - 1]), self.place[k])
        if d - 1 > 0:
            with b.if_then(b.icmp_signed("==", x, f.reduced[d - 1])):
                self.carry(d - 1)

    # -- whole vectors of one row, in a tight loop ---------------------------------------------------------------------
    def run(
        self, rem: ir.Value, body: Callable[[ir.Value, Axis, dict[int, Value], dict[int, ir.Value]], None]
    ) -> ir.Value:
        """Visit the whole vectors that are left in the innermost row, `rem` elements at most; returns how many
        elements.

        body(k, axis, values, pointers): k elements from here.
        """
        f = self.frame
        b, last = f.b, f.R - 1
        c = b.load(self.count[last], typ=I64)
        n = b.and_(f.least(rem, b.sub(f.reduced[last], c)), I64(-LANES))
        with b.if_then(b.icmp_signed(">", n, I64(0))):
            start = {k: b.load(self.place[k], typ=PTR) for k in self.used}
            line = Axis(f, I64(LANES), path="whole")
            outer = {
                nd.id: [splat(b, b.load(self.count[nd.param[1]], typ=I64), LANES)]
                for nd in self.indices
                if nd.param[1] != last
            }
            with f.loop(I64(0), n, LANES) as k:
                pointers = {
                    j: f.moved(p, b.mul(k, f.strides[j][-1] if f.classes[j] != "c" else I64(f.dtypes[j].itemsize)))
                    for j, p in start.items()
                }
                values = load_whole(line, [(nd.id, pointers[nd.param], nd.param) for nd in self.loads])
                values.update(outer)
                for nd in self.indices:
                    if nd.param[1] == last:
                        values[nd.id] = [line.iota(b.add(c, k))]
                body(k, line, values, pointers)
            self.move(n, b.add(c, n))
        return n


class Stretch:
    """LANES elements of a walk: the values of loads and indices there.

    How they were read (0: within one row; 1: from two; 2: one by one) and where they lie is known at run time.
    """

    def __init__(self, walk: Odometer, rem: ir.Value) -> None:
        self.walk = walk
        f, last = walk.frame, walk.frame.R - 1
        b = f.b
        c = b.load(walk.count[last], typ=I64)
        end = b.add(c, I64(LANES))
        whole = b.and_(b.icmp_signed("<=", end, f.reduced[last]), b.icmp_signed(">=", rem, I64(LANES)))
        enough = b.icmp_signed(">=", rem, I64(LANES))
        two = b.and_(enough, b.icmp_signed(">=", f.reduced[last], I64(LANES)))
        self.axis = Axis(f, f.least(rem, I64(LANES)))
        joined = Joined(walk)
        with b.if_else(whole) as (fast, rest):
            with fast:
                joined.add(*walk.one_row(self.axis, c, end))
            with rest, b.if_else(two) as (two_rows, slow):
                with two_rows:
                    joined.add(*walk.two_rows(c, end))
                with slow:
                    joined.add(*walk.one_by_one(self.axis))
        self.kind, self.first, *merged = joined.merge()
        self.starts = dict(zip(walk.stored, [(merged.pop(0), merged.pop(0)) for _ in walk.stored], strict=True))
        self.values: dict[int, Value] = {}
        for n in walk.loads:
            self.values[n.id] = [merged.pop(0) for _ in range(parts_of(f.dtypes[n.param]))]
        for n in walk.indices:
            self.values[n.id] = [merged.pop(0)]

    def pointer(self, k: int) -> ir.Value:
        raise NotImplementedError("gather inside a reduction over several dims")

    def close(self, values: list[Value]) -> None:
        """Write what the stores write."""
        walk, axis = self.walk, self.axis
        f = walk.frame
        b = f.b
        if not walk.stores:
            return
        raws = [pack(b, v, f.dtypes[s.operand]) for s, v in zip(walk.stores, values, strict=True)]
        line = Axis(f, I64(LANES), path="whole")
        with b.if_else(b.icmp_signed("==", self.kind, I32(0))) as (fast, rest):
            with fast:
                for s, v, raw in zip(walk.stores, values, raws, strict=True):
                    d, start = f.dtypes[s.operand], self.starts[s.operand][0]
                    if f.classes[s.operand] == "c":
                        b.store(raw, start, align=step_of(d))
                    else:
                        scatter_store(b, v, start, line.offsets(s.operand), d, const(I1, 1, LANES))
            with rest, b.if_else(b.icmp_signed("==", self.kind, I32(1))) as (two, slow):
                with two:
                    low = walk.low_lanes(self.first)
                    for s, v, raw in zip(walk.stores, values, raws, strict=True):
                        k, d = s.operand, f.dtypes[s.operand]
                        before, after = self.starts[k]
                        if f.classes[k] == "c":
                            mask = _parts(b, low, d)
                            masked_store(b, raw, before, step_of(d), mask)
                            masked_store(b, raw, after, step_of(d), b.not_(mask))
                        else:
                            scatter_store(b, v, before, walk.offsets(k, before, after, low), d, const(I1, 1, LANES))
                with slow:
                    for s, raw, targets in zip(walk.stores, raws, walk.targets, strict=True):
                        d = f.dtypes[s.operand]
                        spill = f.array(raw.type, 1)
                        b.store(raw, spill)
                        with f.loop(I64(0), axis.rem, 1) as j:
                            target = b.load(b.gep(targets, [j], source_etype=PTR), typ=PTR)
                            copy_element(b, b.gep(spill, [b.mul(j, I64(d.itemsize))], source_etype=I8), target, d)


class Joined:
    """Values that come from several paths: (kind, n1, pointers of stores, values)."""

    def __init__(self, walk: Odometer) -> None:
        self.frame = walk.frame
        self.rows: list[list[ir.Value]] = []
        self.blocks: list[Any] = []

    def add(self, kind: int, first: ir.Value, pointers: list[ir.Value], values: list[ir.Value]) -> None:
        self.rows.append([I32(kind), first, *pointers, *values])
        self.blocks.append(self.frame.b.block)

    def merge(self) -> list[ir.Value]:
        """(Through variables, as the paths meet in more than one place.)"""
        f = self.frame
        b = f.b
        out = []
        for column in zip(*self.rows, strict=True):
            v = f.var(column[0].type)
            for x, block in zip(column, self.blocks, strict=True):
                with b.goto_block(block):
                    b.store(x, v)
            out.append(b.load(v, typ=column[0].type))
        return out


def _parts(b: ir.IRBuilder, mask: ir.Value, d: dtype) -> ir.Value:
    return interleave(b, mask, mask) if d.kind == "c" else mask
