"""Reductions with columns along the vector axis, several vectors of columns a work item.

A row of a wide tensor is often a page; one vector of columns at a time would touch a new page at every step and wait
for the TLB. So a work item is WIDE vectors of columns, visited GROUP rows at a time (or row by row, in a small kernel
and in one that reduces one dim), and the states wait in memory meanwhile, but for integers', which registers hold. For
a single vector of columns LANES rows are written out, each with a state in a register (but not where columns lie apart:
to gather them is more code than the rest). Up to FEW rows there are no states at all. The order in which each column is
reduced is that of `program/loops.py`, whatever the grouping.
"""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.compiler.emit import memory
from rushlight.compiler.emit.frame import Frame
from rushlight.compiler.emit.item import Item, operands_of
from rushlight.compiler.emit.line import AHEAD, CACHE_LINE, CACHED
from rushlight.compiler.emit.reductions import ARG, state_types, tree_of_lanes, where
from rushlight.compiler.emit.scalar import Value
from rushlight.compiler.emit.sweeps import FEW, State, reset
from rushlight.compiler.emit.variant import WIDE, small, swept
from rushlight.compiler.llvm import ir, machine
from rushlight.compiler.llvm.ir import I32, I64, PTR
from rushlight.compiler.llvm.lanes import splat
from rushlight.core.dtypes import by_name
from rushlight.core.launch import ROWS_TOGETHER
from rushlight.program.loops import BLOCK, CHUNK, LANES

GROUP = 8  # divides BLOCK

Arrays = list[ir.Value]  # LANES * WIDE states of a reduction in memory, part by part


class WideColumns:
    """Emits one item of a kernel whose stores are all at kept level and whose reductions are one sweep."""

    def __init__(self, item: Item, first: ir.Value, stop: ir.Value) -> None:
        self.item, self.first = item, first
        f = self.frame = item.frame
        b = f.b
        ((reduces, _),) = f.loops.stages()
        self.states = [State(f, r) for r in reduces]
        self.nodes = swept(reduces)
        columns = b.sub(stop, first)
        self.columns = columns
        self.nv = b.sdiv(b.add(columns, I64(LANES - 1)), I64(LANES))
        self.slots = b.mul(self.nv, I64(LANES))
        # A row that is gathered whole costs what a load does, and its rows are few as a rule: the taps of a filter.
        gathers = [n for n in self.nodes if n.op == "gather"]
        whole = all(f.classes[n.param[0]] == "c" and all(f.variant.uniform(a) for a in n.args) for n in gathers)
        self.few = 2 * FEW if gathers else FEW
        self.small = f.R == 1 and whole and small(self.nodes)
        # Gathering a vector from columns that lie apart takes a hundred instructions, and most of the time: such rows
        # are not written out.
        self.apart = any(n.op == "load" and f.classes[n.param] == "s" for n in self.nodes)
        # Whether LANES rows are written out: their states are held in registers, if there are as many.
        self.held = all(s.name not in ARG for s in self.states) and not self.apart
        # How to read columns that may not all exist. (Without byte masks a masked load of small elements is many
        # loads.)
        self.partly = (
            "masked" if all(f.dtypes[n.param].itemsize >= 4 for n in self.nodes if n.op == "load") else "either"
        )

    def arrays(self, s: State) -> list[ir.Value]:
        return [self.frame.array(ir.vector(t, LANES), LANES * WIDE) for t in self.frame.memory_types(s.types)]

    def shift(self, v: ir.Value, k: int) -> ir.Value:
        """Bytes from the item's first column of operand k to its v-th vector."""
        f = self.frame
        stride = I64(f.dtypes[k].itemsize) if f.classes[k] == "c" else f.strides[k][f.K - 1]
        return f.b.mul(f.b.mul(v, I64(LANES)), stride)

    def axis(self, v: ir.Value, path: str = "either") -> memory.Axis:
        return memory.Axis(self.frame, self.frame.b.sub(self.columns, self.frame.b.mul(v, I64(LANES))), path=path)

    def emit(self) -> None:
        """Reduce all rows, and store."""
        b, n = self.frame.b, self.frame.n_reduced
        if self.frame.variant.reduces_integers:
            reduce_integers([self])
            return
        if not self.small or self.apart:
            self.emit_long()
            return
        few = b.and_(b.icmp_signed(">=", n, I64(1)), b.icmp_signed("<=", n, I64(self.few)))
        with b.if_else(few, likely=False) as (short, long):
            with short:
                self.emit_few()
            with long:
                self.emit_long()

    def clear(self, arrays: list[Arrays]) -> None:
        with self.frame.loop(I64(0), self.slots, 1) as j:
            for s, a in zip(self.states, arrays, strict=True):
                s.put_slot(a, j, s.identity(LANES))

    def emit_few(self) -> None:
        """Few rows: each is a lane of its own, and the rows that are not there are the identity."""
        f = self.frame
        b, n = f.b, f.n_reduced
        used = operands_of(self.nodes)
        last = b.sub(n, I64(1))
        at = {k: [b.mul(f.least(I64(j), last), f.strides[k][f.K]) for j in range(self.few)] for k in used}

        def vector(v: ir.Value, path: str) -> None:
            axis = self.axis(v, path)
            lanes: list[list[Value]] = [[] for _ in self.states]
            for j in range(self.few):
                pointers = {k: f.moved(self.item.base[k], self.shift(v, k), at[k][j]) for k in used}
                env = self.step(v, axis, pointers, [I64(j)])
                there = splat(b, b.icmp_signed("<", I64(j), n), LANES)
                for s, out in zip(self.states, lanes, strict=True):
                    x = s.combine(s.identity(LANES), self.operand(s, env, I64(j)))
                    out.append(where(b, there, x, s.identity(LANES)))
            self.store(v, [tree_of_lanes(b, s.name, s.d, out) for s, out in zip(self.states, lanes, strict=True)])

        # so many rows of masked loads would cost more than the code twice
        whole = b.sdiv(self.columns, I64(LANES)) if self.few > FEW else I64(0)
        if self.few > FEW:
            with f.loop(I64(0), whole, 1) as v:
                vector(v, "whole")
        with f.loop(whole, self.nv, 1) as v:
            vector(v, self.partly)

    def emit_long(self) -> None:
        f, states = self.frame, self.states
        b, n = f.b, f.n_reduced
        accs, blocks, tables = ([self.arrays(s) for s in states] for _ in range(3))
        held = Running(accs, blocks, b.icmp_signed(">", n, I64(BLOCK)))
        many = b.icmp_signed(">", n, I64(CHUNK))
        self.clear(held.accs)
        with b.if_then(many, likely=False):
            self.clear(tables)
        walk = Walk(self, None)
        with f.loop(I64(0), n, CHUNK) as c0:
            self.chunk(c0, f.least(n, b.add(c0, I64(CHUNK))), walk, held)
            with b.if_then(many, likely=False), f.loop(I64(0), self.nv, 1) as v:
                lane = b.add(b.mul(v, I64(LANES)), b.and_(b.sdiv(c0, I64(CHUNK)), I64(LANES - 1)))
                for s, block, table in zip(states, held.blocks, tables, strict=True):
                    s.put_slot(
                        table,
                        lane,
                        s.combine(s.get_slot(table, lane, LANES), s.tree_in_memory(block, b.mul(v, I64(LANES)))),
                    )
        with f.loop(I64(0), self.nv, 1) as v:
            self.finish(v, held, tables, many)

    def emit_part(self, chunk: ir.Value, n_chunks: ir.Value, number: ir.Value) -> None:
        """Reduce one chunk of the rows; each column's partial result goes to the workspace.

        chunk, n_chunks: its number, and how many there are. number: of the row of columns that the item's are in.
        """
        f, states = self.frame, self.states
        b = f.b
        accs, blocks = ([self.arrays(s) for s in states] for _ in range(2))
        held = Running(accs, blocks, ir.I1(1))
        self.clear(held.accs)
        c0 = b.mul(chunk, I64(CHUNK))
        walk = Walk(self, c0)
        self.chunk(c0, f.least(f.n_reduced, b.add(c0, I64(CHUNK))), walk, held)
        per_item = sum(len(s.types) for s in states)
        first = b.add(b.mul(number, f.kept[-1]), self.first)
        with f.loop(I64(0), self.nv, 1) as v:
            lane0 = b.mul(v, I64(LANES))
            partials = [s.tree_in_memory(block, lane0) for s, block in zip(states, held.blocks, strict=True)]
            spill = [[f.array(ir.vector(t, LANES), 1) for t in f.memory_types(s.types)] for s in states]
            for s, arrays, x in zip(states, spill, partials, strict=True):
                s.put_slot(arrays, I64(0), x)
            with f.loop(I64(0), f.least(I64(LANES), b.sub(self.columns, lane0)), 1) as j:
                element = b.add(b.mul(b.add(first, b.add(lane0, j)), n_chunks), chunk)
                p = f.at(f.workspace, I64, b.mul(element, I64(per_item)))
                for s, arrays in zip(states, spill, strict=True):
                    for t, a in zip(s.types, arrays, strict=True):
                        f.put(f.get(f.at(a, f.memory_types([t])[0], j), t, 0), p)
                        p = f.at(p, I64, I64(1))

    def chunk(self, c0: ir.Value, c1: ir.Value, walk: Walk, held: Running) -> None:
        """Reduce rows [c0, c1) into `accs`, or `blocks` when there are several blocks."""
        f, states = self.frame, self.states
        b = f.b
        with b.if_then(held.several, likely=False):
            self.clear(held.blocks)
        with f.loop(c0, c1, BLOCK) as b0:
            b1 = f.least(c1, b.add(b0, I64(BLOCK)))
            if self.small:
                self.group(b0, b1, walk, held.accs)
            elif f.R == 1 and not self.apart:
                self.by_rows(b0, b1, walk, held.accs)
            else:
                with f.loop(b0, b1, GROUP) as g0:
                    self.looped(g0, f.least(b1, b.add(g0, I64(GROUP))), walk, held.accs)
            with b.if_then(held.several, likely=False), f.loop(I64(0), self.slots, 1) as j:
                for s, acc, block in zip(states, held.accs, held.blocks, strict=True):
                    s.put_slot(block, j, s.combine(s.get_slot(block, j, LANES), s.get_slot(acc, j, LANES)))
                    s.put_slot(acc, j, s.identity(LANES))

    def tree(self, s: State, arrays: list[ir.Value], v: ir.Value, lanes: int = LANES) -> Value:
        b = self.frame.b
        first = b.mul(v, I64(LANES))
        return tree_of_lanes(b, s.name, s.d, [s.get_slot(arrays, b.add(first, I64(j)), LANES) for j in range(lanes)])

    def operand(self, s: State, env: dict[int, Value], i: ir.Value) -> Value:
        """What reduction `s` takes in at reduced index i."""
        x = [splat(self.frame.b, part, LANES) for part in env[s.node.args[0].id]]
        return [*x, splat(self.frame.b, i, LANES)] if s.name in ARG else x

    def take(self, lane: ir.Value, env: dict[int, Value], i: ir.Value, accs: list[Arrays]) -> None:
        for s, acc in zip(self.states, accs, strict=True):
            s.put_slot(acc, lane, s.combine(s.get_slot(acc, lane, LANES), self.operand(s, env, i)))

    def group(self, g0: ir.Value, g1: ir.Value, walk: Walk, accs: list[Arrays]) -> None:
        f = self.frame
        b = f.b
        if not self.held:
            self.by_rows(g0, g1, walk, accs)
            return
        whole_rounds = b.select(b.icmp_signed("==", self.nv, I64(1)), b.and_(b.sub(g1, g0), I64(-LANES)), I64(0))
        rest = b.add(g0, whole_rounds)
        with b.if_then(b.icmp_signed(">", whole_rounds, I64(0))):
            self.written_out(g0, rest, walk, accs)
            for k, p in walk.start.items():
                b.store(f.moved(b.load(p, typ=PTR), b.mul(whole_rounds, f.strides[k][f.K])), p)
            b.store(b.add(b.load(walk.start_count[0], typ=I64), whole_rounds), walk.start_count[0])
        self.by_rows(rest, g1, walk, accs)

    def by_rows(self, g0: ir.Value, g1: ir.Value, walk: Walk, accs: list[Arrays]) -> None:
        """Rows [g0, g1), each from left to right, as they lie in memory; the states wait in memory."""
        f = self.frame
        b = f.b
        n_whole = b.sdiv(self.columns, I64(LANES))
        with f.loop(g0, g1, 1) as i:
            lane = b.and_(i, I64(LANES - 1))

            def vector(v: ir.Value, path: str, i: ir.Value = i, lane: ir.Value = lane) -> None:
                axis = self.axis(v, path)
                pointers = {k: f.moved(b.load(p, typ=PTR), self.shift(v, k)) for k, p in walk.start.items()}
                if path == "whole":
                    self.prefetch(pointers)
                self.take(b.add(b.mul(v, I64(LANES)), lane), self.step(v, axis, pointers, [i]), i, accs)

            with f.loop(I64(0), n_whole, 1) as v:
                vector(v, "whole")
            with b.if_then(b.icmp_signed("<", n_whole, self.nv), likely=False):
                vector(n_whole, self.partly)
            for k, p in walk.start.items():
                b.store(f.moved(b.load(p, typ=PTR), f.strides[k][f.K]), p)
        b.store(g1, walk.start_count[0])

    def written_out(self, g0: ir.Value, g1: ir.Value, walk: Walk, accs: list[Arrays]) -> None:
        """The first rows of a block, [g0, g1), of a single vector of columns, LANES of them at a time, with the states
        in registers.
        """
        f = self.frame
        b, v = f.b, I64(0)
        axis = self.axis(v, self.partly)
        slots = [I64(j) for j in range(LANES)]
        held = [[s.variables(LANES) for _ in slots] for s in self.states]
        for s, variables in zip(self.states, held, strict=True):
            for x in variables:
                s.set(x, s.identity(LANES))
        places = {k: f.var(PTR, b.load(p, typ=PTR)) for k, p in walk.start.items()}
        with f.loop(g0, g1, LANES) as i0:
            pointers = {k: b.load(p, typ=PTR) for k, p in places.items()}
            for row in range(LANES):
                i = b.add(i0, I64(row))
                env = self.step(v, axis, pointers, [i])
                for s, variables in zip(self.states, held, strict=True):
                    s.set(variables[row], s.combine(s.read(variables[row], LANES), self.operand(s, env, i)))
                pointers = {k: f.moved(p, f.strides[k][f.K]) for k, p in pointers.items()}
            for k, p in places.items():
                b.store(pointers[k], p)
        for s, acc, variables in zip(self.states, accs, held, strict=True):
            for j, x in zip(slots, variables, strict=True):
                s.put_slot(acc, j, s.read(x, LANES))

    def looped(self, g0: ir.Value, g1: ir.Value, walk: Walk, accs: list[Arrays]) -> None:
        f = self.frame
        b = f.b
        with f.loop(I64(0), self.nv, 1) as v:
            for k, p in walk.place.items():
                b.store(f.moved(b.load(walk.start[k], typ=PTR), self.shift(v, k)), p)
            for c, s in zip(walk.count, walk.start_count, strict=True):
                b.store(b.load(s, typ=I64), c)
            axis = self.axis(v)
            first = b.mul(v, I64(LANES))
            with f.loop(g0, g1, 1) as i:
                pointers = {k: b.load(p, typ=PTR) for k, p in walk.place.items()}
                self.prefetch(pointers)
                env = self.step(v, axis, pointers, [b.load(c, typ=I64) for c in walk.count])
                self.take(b.add(first, b.and_(i, I64(LANES - 1))), env, i, accs)
                f.advance(walk.place, walk.count)
        # The last vector of columns has gone through the group: the next group starts where it stands.
        last = b.sub(self.nv, I64(1))
        for k, p in walk.place.items():
            b.store(f.moved(b.load(p, typ=PTR), b.neg(self.shift(last, k))), walk.start[k])
        for c, s in zip(walk.count, walk.start_count, strict=True):
            b.store(b.load(c, typ=I64), s)

    def prefetch(self, pointers: dict[int, ir.Value]) -> None:
        """Ask for what lies below these vectors of columns, AHEAD bytes of the item further on: an item's part of a row
        is too short a run for the processor's own prefetcher.
        """
        f = self.frame
        b = f.b
        if f.R > 1:
            return
        visited = f.n_reduced
        for size in f.kept:
            visited = b.mul(visited, size)
        for k in sorted({n.param for n in self.nodes if n.op == "load" and f.classes[n.param] == "c"}):
            vector = LANES * f.dtypes[k].itemsize
            with b.if_then(b.icmp_signed(">", visited, I64(CACHED // f.dtypes[k].itemsize))):
                below = f.moved(pointers[k], b.mul(f.strides[k][f.K], I64(AHEAD // (WIDE * vector))))
                for line in range(0, vector, CACHE_LINE):
                    b.intrinsic("prefetch.p0", ir.VOID, [f.moved(below, I64(line)), I32(0), I32(3), I32(1)])

    def step(
        self, v: ir.Value, axis: memory.Axis, pointers: dict[int, ir.Value], count: Sequence[ir.Value]
    ) -> dict[int, Value]:
        """The values of a sweep for the v-th vector of columns at these pointers and reduced indices."""
        f, index = self.frame, self.item.index
        b = f.b
        values = axis.load_many([(n.id, pointers[n.param], n.param) for n in self.nodes if n.op == "load"])
        for n in self.nodes:
            if n.op == "index":
                kind, d = n.param
                if kind == "r":
                    values[n.id] = [splat(b, count[d], LANES)]
                elif d == f.K - 1:
                    values[n.id] = [axis.iota(b.add(index[d], b.mul(v, I64(LANES))))]
                else:
                    values[n.id] = [splat(b, index[d], LANES)]
        return self.item.sweep(self.nodes, values, LANES, axis, pointers.__getitem__)

    def finish(self, v: ir.Value, held: Running, tables: list[Arrays], many: ir.Value) -> None:
        """The states of the v-th vector of columns to values, and the stores."""
        b = self.frame.b
        few = b.icmp_signed("<=", self.frame.n_reduced, I64(FEW))
        totals = []
        for s, acc, block, table in zip(self.states, held.accs, held.blocks, tables, strict=True):
            last = [b.select(many, t, b.select(held.several, x, a)) for a, x, t in zip(acc, block, table, strict=True)]
            if self.small:
                totals.append(self.tree(s, last, v))
                continue
            total = s.variables(LANES)
            with b.if_else(few) as (four, sixteen):
                with four:  # the other lanes hold the identity, and the tree's first levels change nothing
                    s.set(total, self.tree(s, last, v, FEW))
                with sixteen:
                    s.set(total, self.tree(s, last, v))
            totals.append(s.read(total, LANES))
        self.store(v, totals)

    def store(self, v: ir.Value, totals: list[Value]) -> None:
        """Final states to values, and the kernel's stores."""
        f, item = self.frame, self.item
        values = [s.finish(total) for s, total in zip(self.states, totals, strict=True)]
        axis = self.axis(v)
        base = [f.moved(p, self.shift(v, k)) for k, p in enumerate(item.base)]
        here = item.at(base, [*item.index[:-1], f.b.add(item.index[-1], f.b.mul(v, I64(LANES)))], axis)
        for s, value in zip(self.states, values, strict=True):
            here.settle(s.node, value)
        for store in f.loops.stores:
            here.store(store)


def rows_together(frame: Frame) -> int:
    """How many rows `reduce_integers` may take at once, with their states in registers; it divides ROWS_TOGETHER."""
    n: int = ROWS_TOGETHER
    while n > 2 and n * _wanted(frame) > _registers():
        n //= 2
    return n


def _registers() -> int:
    """For states, of those that there are."""
    return 16 if machine.masks() else 8


def _wanted(frame: Frame) -> int:
    """Registers for the states of a vector of columns."""
    size = 64 if machine.masks() else 32
    types = [t for r in frame.loops.reduces for t in state_types(r.param, by_name[r.args[0].dtype])]
    return sum(-(-LANES * max(t.width, 8) // (8 * size)) for t in types)


def reduce_integers(rows: Sequence[WideColumns]) -> None:
    """Reduce the same columns of several rows of the kept elements: as many vectors as registers hold states for, from
    the first reduced element to the last, then the next ones. What the rows have in common is read once.
    """
    one = rows[0]
    f, b = one.frame, one.frame.b
    used = operands_of(one.nodes)
    side_by_side = max(min(WIDE, _registers() // (_wanted(f) * len(rows))), 1)

    def vectors(v: ir.Value, count: int, path: str) -> None:
        at = [(row, b.add(v, I64(j))) for row in rows for j in range(count)]
        axes = [one.axis(x, path) for _, x in at]
        states = [row.states for row, _ in at]
        held = [[s.variables(LANES) for s in row.states] for row, _ in at]
        for own, variables in zip(states, held, strict=True):
            reset(own, variables)
        first = [{k: f.moved(row.item.base[k], row.shift(x, k)) for k in used} for row, x in at]
        with f.loop(I64(0), f.n_reduced, 1) as i:
            down = {k: b.mul(i, f.strides[k][f.K]) for k in used}
            for (row, x), axis, own, variables, start in zip(at, axes, states, held, first, strict=True):
                pointers = {k: f.moved(p, down[k]) for k, p in start.items()}
                if path == "whole" and row is one:
                    row.prefetch(pointers)
                env = row.step(x, axis, pointers, [i])
                for s, acc in zip(own, variables, strict=True):
                    s.set(acc, s.combine(s.read(acc, LANES), row.operand(s, env, i)))
        for (row, x), variables in zip(at, held, strict=True):
            row.store(x, [s.read(acc, LANES) for s, acc in zip(row.states, variables, strict=True)])

    whole = b.sdiv(one.columns, I64(LANES))
    grouped = b.sub(whole, b.srem(whole, I64(side_by_side)))
    with f.loop(I64(0), grouped, side_by_side) as v:
        vectors(v, side_by_side, "whole")
    with f.loop(grouped, one.nv, 1) as v:
        vectors(v, 1, one.partly)


class Running:
    """States on the way: of the block that is being visited, and of the blocks before it where there are `several`."""

    def __init__(self, accs: list[Arrays], blocks: list[Arrays], several: ir.Value) -> None:
        self.accs, self.blocks, self.several = accs, blocks, several


class Walk:
    """Pointers and reduced indices (variables): at the start of a group of rows, and where a sweep over the group
    is.
    """

    def __init__(self, columns: WideColumns, start: ir.Value | None) -> None:
        f, base = columns.frame, columns.item.base
        used = operands_of(columns.nodes)
        self.start = {k: f.var(PTR, base[k]) for k in used}
        self.place = {k: f.var(PTR) for k in used}
        self.start_count = [f.var(I64, I64(0)) for _ in range(f.R)]
        self.count = [f.var(I64) for _ in range(f.R)]
        if start is not None:
            for d, x in enumerate(f.decode(start, f.reduced)):
                f.b.store(x, self.start_count[d])
                for k, p in self.start.items():
                    f.b.store(f.moved(f.b.load(p, typ=PTR), f.b.mul(x, f.strides[k][f.K + d])), p)
