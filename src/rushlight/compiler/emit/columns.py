"""Reductions with columns along the vector axis, several vectors of columns a work item.

A row of a wide tensor is often a page; one vector of columns at a time would touch a new page at every step and wait
for the TLB. So a work item is WIDE vectors of columns, visited GROUP rows at a time (or row by row, in a small kernel),
and the states wait in memory meanwhile. For a single vector of columns LANES rows are written out, each with a state in
a register (but not where columns lie apart: to gather them is more code than the rest). Up to FEW rows there are no
states at all. The order in which each column is reduced is that of `program/loops.py`, whatever the grouping.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rushlight.compiler.emit import memory
from rushlight.compiler.emit.reductions import tree_of_lanes, where
from rushlight.compiler.emit.scalar import I64, Value, splat
from rushlight.compiler.emit.sweeps import ARG, State
from rushlight.compiler.kernels.kernel import CHEAP, WIDE
from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.ir import PTR
from rushlight.program.loops import BLOCK, CHUNK, LANES, Node

if TYPE_CHECKING:
    from rushlight.compiler.emit.generator import Generator

GROUP = 8  # divides BLOCK
FEW = 4
SMALL = 6  # nodes of a sweep that is worth writing out


class WideColumns:
    """Emits one item of a kernel whose stores are all at kept level and whose reductions are one sweep."""

    def __init__(self, gen: Generator) -> None:
        self.gen = gen
        b = gen.b
        ((reduces, _),) = gen.loops.stages()
        self.states = [State(gen, r) for r in reduces]
        self.nodes = self.sweep(reduces)
        columns = b.sub(gen.stop, gen.first)
        self.columns = columns
        self.nv = b.sdiv(b.add(columns, I64(LANES - 1)), I64(LANES))
        self.slots = b.mul(self.nv, I64(LANES))
        self.item_base, self.item_index = list(gen.base), list(gen.index)
        # A row that is gathered whole costs what a load does, and its rows are few as a rule: the taps of a filter.
        gathers = [n for n in self.nodes if n.op == "gather"]
        whole = all(gen.classes[n.param[0]] == "c" and all(gen.uniform(a) for a in n.args) for n in gathers)
        self.few = 2 * FEW if gathers else FEW
        self.small = (
            gen.R == 1
            and whole
            and len(self.nodes) - len(gathers) <= SMALL
            and all(n.op in CHEAP or n.op == "gather" for n in self.nodes)
        )
        # To gather a vector from columns that lie apart is a hundred instructions, and what takes the time: they are
        # not written out.
        self.apart = any(n.op == "load" and gen.classes[n.param] == "s" for n in self.nodes)
        # Whether LANES rows are written out: their states are held in registers, if there are as many.
        self.held = all(s.name not in ARG for s in self.states) and not self.apart
        # How to read columns that may not all exist. (Without byte masks a masked load of small elements is many
        # loads.)
        self.partly = (
            "masked" if all(gen.dtypes[n.param].itemsize >= 4 for n in self.nodes if n.op == "load") else "either"
        )

    def sweep(self, reduces: list[Node]) -> list[Node]:
        """The nodes of the sweep: kept-level loads too are done at each step (they are in the cache)."""
        found: dict[int, Node] = {}
        work = [r.args[0] for r in reduces]
        while work:
            n = work.pop()
            if n.level != "S" and n.id not in found:
                found[n.id] = n
                work.extend(n.args)
        return [found[k] for k in sorted(found)]

    def arrays(self, s: State) -> list[ir.Value]:
        return [self.gen.array(ir.vector(t, LANES), LANES * WIDE) for t in self.gen.memory_types(s.types)]

    def shift(self, v: ir.Value, k: int) -> ir.Value:
        """Bytes from the item's first column of operand k to its v-th vector."""
        gen = self.gen
        stride = I64(gen.dtypes[k].itemsize) if gen.classes[k] == "c" else gen.strides[k][gen.K - 1]
        return gen.b.mul(gen.b.mul(v, I64(LANES)), stride)

    def axis(self, v: ir.Value, path: str = "either") -> memory.Axis:
        return memory.Axis(self.gen, self.gen.b.sub(self.columns, self.gen.b.mul(v, I64(LANES))), path=path)

    def emit(self) -> None:
        b, n = self.gen.b, self.gen.n_reduced
        if self.gen.mode == "colpart":
            self.emit_part()
        elif not self.small or self.apart:
            self.emit_long()
        else:
            few = b.and_(b.icmp_signed(">=", n, I64(1)), b.icmp_signed("<=", n, I64(self.few)))
            with b.if_else(few, likely=False) as (short, long):
                with short:
                    self.emit_few()
                with long:
                    self.emit_long()

    def clear(self, arrays: list[list[ir.Value]]) -> None:
        with self.gen.loop(I64(0), self.slots, 1) as j:
            for s, a in zip(self.states, arrays, strict=True):
                s.put_slot(a, j, s.identity(LANES))

    def emit_few(self) -> None:
        """Few rows: each is a lane of its own, and the rows that are not there are the identity."""
        gen = self.gen
        b, n = gen.b, gen.n_reduced
        used = sorted({x.param if x.op == "load" else x.param[0] for x in self.nodes if x.op in ("load", "gather")})
        last = b.sub(n, I64(1))
        at = {k: [b.mul(gen.least(I64(j), last), gen.strides[k][gen.K]) for j in range(self.few)] for k in used}

        def vector(v: ir.Value, path: str) -> None:
            gen.columns = self.axis(v, path)
            lanes: list[list[Value]] = [[] for _ in self.states]
            for j in range(self.few):
                env = self.step(
                    v, {k: gen.moved(self.item_base[k], self.shift(v, k), at[k][j]) for k in used}, [I64(j)]
                )
                there = splat(b, b.icmp_signed("<", I64(j), n), LANES)
                for s, out in zip(self.states, lanes, strict=True):
                    x = s.combine(s.identity(LANES), self.operand(s, env, I64(j)))
                    out.append(where(b, there, x, s.identity(LANES)))
            self.store(v, [tree_of_lanes(b, s.name, s.d, out) for s, out in zip(self.states, lanes, strict=True)])

        # so many rows of masked loads would cost more than the code twice
        whole = b.sdiv(self.columns, I64(LANES)) if self.few > FEW else I64(0)
        if self.few > FEW:
            with gen.loop(I64(0), whole, 1) as v:
                vector(v, "whole")
        with gen.loop(whole, self.nv, 1) as v:
            vector(v, self.partly)

    def emit_long(self) -> None:
        gen, states = self.gen, self.states
        b, n = gen.b, gen.n_reduced
        self.accs, self.blocks, tables = ([self.arrays(s) for s in states] for _ in range(3))
        self.several, many = b.icmp_signed(">", n, I64(BLOCK)), b.icmp_signed(">", n, I64(CHUNK))
        self.clear(self.accs)
        with b.if_then(many, likely=False):
            self.clear(tables)
        self.place_all(None)
        with gen.loop(I64(0), n, CHUNK) as c0:
            self.chunk(c0, gen.least(n, b.add(c0, I64(CHUNK))))
            with b.if_then(many, likely=False), gen.loop(I64(0), self.nv, 1) as v:
                lane = b.add(b.mul(v, I64(LANES)), b.and_(b.sdiv(c0, I64(CHUNK)), I64(LANES - 1)))
                for s, block, table in zip(states, self.blocks, tables, strict=True):
                    s.put_slot(
                        table,
                        lane,
                        s.combine(s.get_slot(table, lane, LANES), s.tree_in_memory(block, b.mul(v, I64(LANES)))),
                    )
        with gen.loop(I64(0), self.nv, 1) as v:
            self.finish(v, tables, many)

    def emit_part(self) -> None:
        """Mode "colpart": one chunk of the reduced elements; each column's partial result goes to the workspace."""
        gen, states = self.gen, self.states
        b = gen.b
        self.accs, self.blocks = ([self.arrays(s) for s in states] for _ in range(2))
        self.several = ir.I1(1)
        self.clear(self.accs)
        c0 = b.mul(gen.chunk, I64(CHUNK))
        self.place_all(c0)
        self.chunk(c0, gen.least(gen.n_reduced, b.add(c0, I64(CHUNK))))
        per_item = sum(len(s.types) for s in states)
        first = b.add(b.mul(gen.item_number, gen.kept[-1]), gen.first)
        with gen.loop(I64(0), self.nv, 1) as v:
            lane0 = b.mul(v, I64(LANES))
            partials = [s.tree_in_memory(block, lane0) for s, block in zip(states, self.blocks, strict=True)]
            spill = [[gen.array(ir.vector(t, LANES), 1) for t in gen.memory_types(s.types)] for s in states]
            for s, arrays, x in zip(states, spill, partials, strict=True):
                s.put_slot(arrays, I64(0), x)
            with gen.loop(I64(0), gen.least(I64(LANES), b.sub(self.columns, lane0)), 1) as j:
                element = b.add(b.mul(b.add(first, b.add(lane0, j)), gen.n_chunks), gen.chunk)
                p = gen.at(gen.workspace, I64, b.mul(element, I64(per_item)))
                for s, arrays in zip(states, spill, strict=True):
                    for t, a in zip(s.types, arrays, strict=True):
                        gen.put(gen.get(gen.at(a, gen.memory_types([t])[0], j), t, 0), p)
                        p = gen.at(p, I64, I64(1))

    def chunk(self, c0: ir.Value, c1: ir.Value) -> None:
        """Reduce rows [c0, c1) into `accs`, or `blocks` when there are several blocks."""
        gen, states = self.gen, self.states
        b = gen.b
        with b.if_then(self.several, likely=False):
            self.clear(self.blocks)
        with gen.loop(c0, c1, BLOCK) as b0:
            b1 = gen.least(c1, b.add(b0, I64(BLOCK)))
            if self.small:
                self.group(b0, b1, self.accs)
            else:
                with gen.loop(b0, b1, GROUP) as g0:
                    self.looped(g0, gen.least(b1, b.add(g0, I64(GROUP))), self.accs)
            with b.if_then(self.several, likely=False), gen.loop(I64(0), self.slots, 1) as j:
                for s, acc, block in zip(states, self.accs, self.blocks, strict=True):
                    s.put_slot(block, j, s.combine(s.get_slot(block, j, LANES), s.get_slot(acc, j, LANES)))
                    s.put_slot(acc, j, s.identity(LANES))

    def tree(self, s: State, arrays: list[ir.Value], v: ir.Value, lanes: int = LANES) -> Value:
        b = self.gen.b
        first = b.mul(v, I64(LANES))
        return tree_of_lanes(b, s.name, s.d, [s.get_slot(arrays, b.add(first, I64(j)), LANES) for j in range(lanes)])

    def place_all(self, start: ir.Value | None) -> None:
        """Pointers and reduced indices: at the start of a group of rows, and where a sweep over the group is now."""
        gen = self.gen
        used = sorted({n.param if n.op == "load" else n.param[0] for n in self.nodes if n.op in ("load", "gather")})
        self.start = {k: gen.var(PTR, gen.base[k]) for k in used}
        self.place = {k: gen.var(PTR) for k in used}
        self.start_count = [gen.var(I64, I64(0)) for _ in range(gen.R)]
        self.count = [gen.var(I64) for _ in range(gen.R)]
        if start is not None:
            for d, x in enumerate(gen.decode(start, gen.reduced)):
                gen.b.store(x, self.start_count[d])
                for k, p in self.start.items():
                    gen.b.store(gen.moved(gen.b.load(p, typ=PTR), gen.b.mul(x, gen.strides[k][gen.K + d])), p)

    def operand(self, s: State, env: dict[int, Value], i: ir.Value) -> Value:
        """What reduction `s` takes in at reduced index i."""
        x = [splat(self.gen.b, part, LANES) for part in env[s.node.args[0].id]]
        return [*x, splat(self.gen.b, i, LANES)] if s.name in ARG else x

    def take(self, lane: ir.Value, env: dict[int, Value], i: ir.Value, accs: list[list[ir.Value]]) -> None:
        for s, acc in zip(self.states, accs, strict=True):
            s.put_slot(acc, lane, s.combine(s.get_slot(acc, lane, LANES), self.operand(s, env, i)))

    def group(self, g0: ir.Value, g1: ir.Value, accs: list[list[ir.Value]]) -> None:
        gen = self.gen
        b = gen.b
        if not self.held:
            self.by_rows(g0, g1, accs)
            return
        whole_rounds = b.select(b.icmp_signed("==", self.nv, I64(1)), b.and_(b.sub(g1, g0), I64(-LANES)), I64(0))
        rest = b.add(g0, whole_rounds)
        with b.if_then(b.icmp_signed(">", whole_rounds, I64(0))):
            self.written_out(g0, rest, accs)
            for k, p in self.start.items():
                b.store(gen.moved(b.load(p, typ=PTR), b.mul(whole_rounds, gen.strides[k][gen.K])), p)
            b.store(b.add(b.load(self.start_count[0], typ=I64), whole_rounds), self.start_count[0])
        self.by_rows(rest, g1, accs)

    def by_rows(self, g0: ir.Value, g1: ir.Value, accs: list[list[ir.Value]]) -> None:
        """Rows [g0, g1), each from left to right, as they lie in memory; the states wait in memory."""
        gen = self.gen
        b = gen.b
        n_whole = b.sdiv(self.columns, I64(LANES))
        with gen.loop(g0, g1, 1) as i:
            lane = b.and_(i, I64(LANES - 1))

            def vector(v: ir.Value, path: str, i: ir.Value = i, lane: ir.Value = lane) -> None:
                gen.columns = self.axis(v, path)
                pointers = {k: gen.moved(b.load(p, typ=PTR), self.shift(v, k)) for k, p in self.start.items()}
                self.take(b.add(b.mul(v, I64(LANES)), lane), self.step(v, pointers, [i]), i, accs)

            with gen.loop(I64(0), n_whole, 1) as v:
                vector(v, "whole")
            with b.if_then(b.icmp_signed("<", n_whole, self.nv), likely=False):
                vector(n_whole, self.partly)
            for k, p in self.start.items():
                b.store(gen.moved(b.load(p, typ=PTR), gen.strides[k][gen.K]), p)
        b.store(g1, self.start_count[0])

    def written_out(self, g0: ir.Value, g1: ir.Value, accs: list[list[ir.Value]]) -> None:
        """The first rows of a block, [g0, g1), of a single vector of columns, LANES of them at a time, with the states
        in registers.
        """
        gen = self.gen
        b, v = gen.b, I64(0)
        gen.columns = self.axis(v, self.partly)
        slots = [I64(j) for j in range(LANES)]
        held = [[s.variables(LANES) for _ in slots] for s in self.states]
        for s, variables in zip(self.states, held, strict=True):
            for x in variables:
                s.set(x, s.identity(LANES))
        places = {k: gen.var(PTR, b.load(p, typ=PTR)) for k, p in self.start.items()}
        with gen.loop(g0, g1, LANES) as i0:
            pointers = {k: b.load(p, typ=PTR) for k, p in places.items()}
            for row in range(LANES):
                i = b.add(i0, I64(row))
                env = self.step(v, pointers, [i])
                for s, variables in zip(self.states, held, strict=True):
                    s.set(variables[row], s.combine(s.read(variables[row], LANES), self.operand(s, env, i)))
                pointers = {k: gen.moved(p, gen.strides[k][gen.K]) for k, p in pointers.items()}
            for k, p in places.items():
                b.store(pointers[k], p)
        for s, acc, variables in zip(self.states, accs, held, strict=True):
            for j, x in zip(slots, variables, strict=True):
                s.put_slot(acc, j, s.read(x, LANES))

    def looped(self, g0: ir.Value, g1: ir.Value, accs: list[list[ir.Value]]) -> None:
        gen = self.gen
        b = gen.b
        with gen.loop(I64(0), self.nv, 1) as v:
            for k, p in self.place.items():
                b.store(gen.moved(b.load(self.start[k], typ=PTR), self.shift(v, k)), p)
            for c, s in zip(self.count, self.start_count, strict=True):
                b.store(b.load(s, typ=I64), c)
            gen.columns = self.axis(v)
            first = b.mul(v, I64(LANES))
            with gen.loop(g0, g1, 1) as i:
                pointers = {k: b.load(p, typ=PTR) for k, p in self.place.items()}
                env = self.step(v, pointers, [b.load(c, typ=I64) for c in self.count])
                self.take(b.add(first, b.and_(i, I64(LANES - 1))), env, i, accs)
                gen.advance(self.place, self.count)
        # The last vector of columns has gone through the group: the next group starts where it stands.
        last = b.sub(self.nv, I64(1))
        for k, p in self.place.items():
            b.store(gen.moved(b.load(p, typ=PTR), b.neg(self.shift(last, k))), self.start[k])
        for c, s in zip(self.count, self.start_count, strict=True):
            b.store(b.load(c, typ=I64), s)

    def step(self, v: ir.Value, pointers: dict[int, ir.Value], count: list[ir.Value]) -> dict[int, Value]:
        """The values of a sweep for the v-th vector of columns at these pointers and reduced indices."""
        gen = self.gen
        b = gen.b
        values = gen.columns.load_many([(n.id, pointers[n.param], n.param) for n in self.nodes if n.op == "load"])
        for n in self.nodes:
            if n.op == "index":
                kind, d = n.param
                if kind == "r":
                    values[n.id] = [splat(b, count[d], LANES)]
                elif d == gen.K - 1:
                    values[n.id] = [gen.columns.iota(b.add(self.item_index[d], b.mul(v, I64(LANES))))]
                else:
                    values[n.id] = [splat(b, self.item_index[d], LANES)]
        return gen.emit_sweep(self.nodes, values, LANES, gen.columns, pointers.__getitem__)

    def finish(self, v: ir.Value, tables: list[list[ir.Value]], many: ir.Value) -> None:
        """The states of the v-th vector of columns to values, and the stores."""
        b = self.gen.b
        few = b.icmp_signed("<=", self.gen.n_reduced, I64(FEW))
        totals = []
        for s, acc, block, table in zip(self.states, self.accs, self.blocks, tables, strict=True):
            last = [b.select(many, t, b.select(self.several, x, a)) for a, x, t in zip(acc, block, table, strict=True)]
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
        gen = self.gen
        b = gen.b
        outer = dict(gen.outer)
        for s, total in zip(self.states, totals, strict=True):
            gen.outer[s.node.id] = s.finish(total)
        gen.columns = self.axis(v)
        gen.base = [gen.moved(p, self.shift(v, k)) for k, p in enumerate(self.item_base)]
        gen.index = [*self.item_index[:-1], b.add(self.item_index[-1], b.mul(v, I64(LANES)))]
        for store in gen.loops.stores:
            gen.store_kept(store)
        gen.base, gen.index, gen.outer = self.item_base, self.item_index, outer
