"""Sweeps over the vector axis, and over reduced elements one at a time.

Every loop is written once, with a full and a tail path for memory only, so that an expensive expression is emitted
once; small sweeps are the exceptions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext

from rushlight.compiler.costs import DIVISIONS, cost_of
from rushlight.compiler.emit import extremes, memory, sequences, sweeps, turned
from rushlight.compiler.emit.item import Item, divisors, one_lane, operands_of
from rushlight.compiler.emit.line import Line
from rushlight.compiler.emit.odometer import Odometer
from rushlight.compiler.emit.reductions import ARG
from rushlight.compiler.emit.scalar import Value
from rushlight.compiler.emit.variant import GROUPED, GROUPED_WIDE, PAIR_LANES
from rushlight.compiler.llvm import ir, machine
from rushlight.compiler.llvm.control import while_
from rushlight.compiler.llvm.ir import I64, PTR
from rushlight.compiler.llvm.lanes import splat
from rushlight.compiler.vecmath.division import Divisor
from rushlight.core.dtypes import by_name
from rushlight.program.loops import CHUNK, LANES, Node, Store

TIGHT = 24  # nodes of a sweep over several dims that is emitted twice

# (index of the first element, the axis or None for a group of vectors, values by node): takes in what is reduced
Accumulate = Callable[[ir.Value, memory.Axis | None, dict[int, Value]], None]


def roots_of(stores: Sequence[Store], reduces: Sequence[Node]) -> list[Node]:
    """What a sweep computes: the stores' values and indices, and what is reduced."""
    return [s.value for s in stores] + [i for s in stores for i in s.index] + [r.args[0] for r in reduces]


def _swept(item: Item, stores: Sequence[Store], reduces: Sequence[Node]) -> list[Node]:
    """The nodes of a sweep, behind what is reduced but is the same for all that it visits."""
    nodes = item.sweep_nodes(roots_of(stores, reduces))
    for r in reduces:
        if r.args[0].level != "F":
            item.value(r.args[0])
    return nodes


def sweep_vectors(
    item: Item,
    stores: list[Store],
    reduces: list[Node],
    start: ir.Value,
    end: ir.Value,
    chunks: Sequence[sweeps.Chunk] = (),
) -> None:
    """Visit [start, end) of the linear index of the vector axis, LANES at a time.

    chunks: where the item is a chunk of the reduced elements and not all of them, that; or two.
    """
    f = item.frame
    b = f.b
    nodes = _swept(item, stores, reduces)
    two: sweeps.TwoBlocks | None = None
    if turned.serves(f, stores):
        buffered = turned.Buffered(item, nodes, start, end)
        sweep = _Vectors(buffered.item, nodes, stores, turned.BufferedLine(buffered, nodes), reduces)

        def visit(lo: ir.Value, hi: ir.Value, accumulate: Accumulate | None) -> None:
            buffered.fill(lo, hi)
            sweep.visit(lo, hi, accumulate)

        if sweep.frame.variant.reads_one and sweep.lanes > LANES:
            two = sweeps.TwoBlocks(f, sweep.lanes, sweep.group, buffered.fill)
    elif f.R >= 2:
        rows = _Rows(item, nodes, stores, Odometer(item, nodes, stores, start if chunks else None))
        visit = rows.tight if len(nodes) <= TIGHT else rows.visit
    else:
        line = _Vectors(item, nodes, stores, Line(item, nodes, stores), reduces)
        if f.variant.reads_one and line.lanes > LANES and [r.param in ARG for r in reduces] == [True] and not stores:
            parts: Sequence[sweeps.Chunk | None] = chunks or [None]
            for chunk in parts:
                first = start if chunk is None else b.mul(chunk[0], I64(CHUNK))
                last = end if chunk is None else f.least(f.n_reduced, b.add(first, I64(CHUNK)))
                extremes.row_place(item, line, reduces[0], first, last, chunk)
            return
        if len(chunks) == 2:
            sweeps.pair_reduce(f, reduces, line.lanes, chunks, line.group)
            return
        visit = line.visit
        if f.variant.reads_one and line.lanes > LANES:
            two = sweeps.TwoBlocks(f, line.lanes, line.group)
    if reduces:
        sweeps.row_reduce(item, reduces, start, end, visit, chunks[0][1] if chunks else None, two)
    else:
        visit(start, end, None)


def sweep_rows(items: Sequence[Item], stores: list[Store], reduces: list[Node]) -> None:
    """Visit the rows of several items side by side; each has whole groups of PAIR_LANES elements, BLOCK at most."""
    f = items[0].frame
    lines = []
    for item in items:
        nodes = _swept(item, stores, reduces)
        lines.append(_Vectors(item, nodes, stores, Line(item, nodes, stores), reduces))
    visits = [line.whole() for line in lines]
    lanes = min(PAIR_LANES, lines[0].lanes)
    if reduces:
        sweeps.rows_reduce(items, reduces, lanes, visits)
        return
    with f.loop(I64(0), f.n_reduced, lanes) as i:
        for visit in visits:
            visit(i, None)


class _Sweep:
    """The nodes of one sweep and the stores that they feed, on a walk."""

    def __init__(self, item: Item, nodes: list[Node], stores: list[Store]) -> None:
        self.item, self.frame, self.nodes, self.stores = item, item.frame, nodes, stores

    def stored(self, env: Mapping[int, Value], lanes: int = LANES) -> list[Value]:
        return [[splat(self.frame.b, x, lanes) for x in env[s.value.id]] for s in self.stores]

    def vector(
        self, walk: Line | Odometer, i: ir.Value, stop: ir.Value, accumulate: Accumulate | None, path: str = "either"
    ) -> None:
        """The next vector of a walk: elements [i, stop), LANES at most."""
        here = walk.open(i, self.frame.b.sub(stop, i), path)
        env = self.item.sweep(self.nodes, here.values, LANES, here.axis, here.pointer)
        if accumulate is not None:
            accumulate(i, here.axis, env)
        here.close(self.stored(env))


class _Vectors(_Sweep):
    """Along one dim: several whole vectors at a time, instruction by instruction, if the sweep is small.

    Vector after vector, the dependent instructions of an exponential fill the processor's queue before the next one's
    can start.
    """

    def __init__(self, item: Item, nodes: list[Node], stores: list[Store], line: Line, reduces: Sequence[Node]) -> None:
        super().__init__(item, nodes, stores)
        self.line, self.reduces = line, reduces
        most = GROUPED_WIDE if machine.masks() else GROUPED
        small = sum(1 if cost_of(n.op).cheap else 4 for n in line.moving) <= most
        divides = any(n.op in DIVISIONS and by_name[n.dtype].kind in "ui" for n in line.moving)
        self.lanes = LANES * (line.group() if small and not divides else 1)

    def group(
        self, i: ir.Value, accumulate: Accumulate | None, ahead: bool = True, known: Mapping[int, Divisor] | None = None
    ) -> None:
        """`lanes` elements from i on, all of which exist."""
        b, lanes = self.frame.b, self.lanes
        if accumulate is not None and ahead:
            self.line.prefetch(i, lanes)
        here = self.line.open_group(i, lanes)
        env = self.item.sweep(self.nodes, here.values, lanes, None, here.pointer, known)
        if accumulate is not None:
            taken = {r.args[0].id: [splat(b, x, lanes) for x in env[r.args[0].id]] for r in self.reduces}
            accumulate(i, None, {**env, **taken})
        here.close(self.stored(env, lanes))

    def whole(self) -> Callable[[ir.Value, Accumulate | None], None]:
        """What visits the elements from the i-th on, PAIR_LANES of a group and else LANES, all of which exist."""
        if self.lanes == LANES:
            return lambda i, accumulate: self.vector(self.line, i, self.frame.n_reduced, accumulate, "whole")
        self.lanes = min(PAIR_LANES, self.lanes)
        known = divisors(self.frame, self.line.moving, self.line.fixed_divisors())
        return lambda i, accumulate: self.group(i, accumulate, known=known)

    def visit(self, lo: ir.Value, hi: ir.Value, accumulate: Accumulate | None) -> None:
        f, b, lanes = self.frame, self.frame.b, self.lanes
        if lanes > LANES:
            middle = b.add(lo, b.and_(b.sub(hi, lo), I64(-lanes)))
            fixed = self.line.fixed_divisors()
            # a row without groups is divided by instructions: to find a reciprocal costs as much
            with b.if_then(b.icmp_signed("<", lo, middle)) if fixed else nullcontext():
                known = divisors(f, self.line.moving, fixed)
                with f.loop(lo, middle, lanes) as i:
                    self.group(i, accumulate, known=known)
            lo = middle
        # Behind groups it is short: where masks cost nothing, there is no path for whole vectors.
        path = "masked" if lanes > LANES and machine.masks() else "either"
        with f.loop(lo, hi, LANES) as i:
            self.vector(self.line, i, hi, accumulate, path)


class _Rows(_Sweep):
    """Along several dims, as one row-major line."""

    def __init__(self, item: Item, nodes: list[Node], stores: list[Store], walk: Odometer) -> None:
        super().__init__(item, nodes, stores)
        self.walk = walk

    def visit(self, lo: ir.Value, hi: ir.Value, accumulate: Accumulate | None) -> None:
        with self.frame.loop(lo, hi, LANES) as i:
            self.vector(self.walk, i, hi, accumulate)

    def tight(self, lo: ir.Value, hi: ir.Value, accumulate: Accumulate | None) -> None:
        """The same, with a loop of its own for the whole vectors of a row."""
        f, b = self.frame, self.frame.b
        at = f.var(I64, lo)

        def vector(k: ir.Value, axis: memory.Axis, values: dict[int, Value], pointers: dict[int, ir.Value]) -> None:
            env = self.item.sweep(self.nodes, values, LANES, axis, pointers.__getitem__)
            if accumulate is not None:
                accumulate(b.add(b.load(at, typ=I64), k), axis, env)
            for s in self.stores:
                axis.store([splat(b, x, LANES) for x in env[s.value.id]], pointers[s.operand], s.operand)

        with while_(b, lambda: b.icmp_signed("<", b.load(at, typ=I64), hi)):
            done = self.walk.run(b.sub(hi, b.load(at, typ=I64)), vector)
            i = b.add(b.load(at, typ=I64), done)
            with b.if_then(b.icmp_signed("<", i, hi)):
                self.vector(self.walk, i, hi, accumulate)
            b.store(b.add(i, I64(LANES)), at)


def sweep_steps(item: Item, store: Store) -> None:
    """A recurrence over steps: within one, places do not depend on one another, and are visited LANES at a time."""
    f = item.frame
    b, K = f.b, f.K
    nodes = item.sweep_nodes([store.value, *store.index])
    used = operands_of(nodes, [store])
    with f.loop(I64(0), f.reduced[0], 1) as step:
        rows = {k: f.moved(item.base[k], b.mul(step, f.strides[k][K])) for k in used}
        with f.loop(I64(0), f.reduced[1], LANES) as place:
            axis = memory.Axis(f, b.sub(f.reduced[1], place), LANES)
            _ = axis.mask  # here, where it dominates every use
            pointers = {k: f.moved(p, b.mul(place, f.strides[k][K + 1])) for k, p in rows.items()}
            values = axis.load_many([(n.id, pointers[n.param], n.param) for n in nodes if n.op == "load"])
            at = {0: step, 1: axis.iota(place)}
            values.update({n.id: [splat(b, at[n.param[1]], LANES)] for n in nodes if n.op == "index"})
            env = item.sweep(nodes, values, LANES, axis, pointers.__getitem__)
            value, *bands = ([splat(b, x, LANES) for x in env[n.id]] for n in (store.value, *store.index[:-2]))
            sequences.band_row(f, store, value, bands, [at[0], at[1]], rows[store.operand], axis)


def sweep_elements(item: Item, stores: list[Store], reduces: list[Node]) -> None:
    """Visit the reduced elements one at a time, in row-major order; the vector axis (if any) is the columns."""
    f, columns = item.frame, item.columns
    b = f.b
    lanes = LANES if columns is not None else 0
    nodes = _swept(item, stores, reduces)
    for s in stores:
        if s.mode == "scatter":
            sequences.fill_places(item, s)
    places = {k: f.var(PTR, item.base[k]) for k in operands_of(nodes, stores)}
    counts = [f.var(I64, I64(0)) for _ in range(f.R)]
    scans = {id(s): sequences.Scan(f, s, lanes) for s in stores if s.mode == "scan"}
    loads = [n for n in nodes if n.op == "load"]

    def body(i: ir.Value, accumulate: Callable[[ir.Value, dict[int, Value]], None] | None) -> None:
        pointers = {k: b.load(p, typ=PTR) for k, p in places.items()}
        if columns is not None:
            values = columns.load_many([(n.id, pointers[n.param], n.param) for n in loads])
        else:
            values = {n.id: memory.load_scalar(b, pointers[n.param], f.dtypes[n.param]) for n in loads}
        for n in nodes:
            if n.op == "index":
                values[n.id] = [splat(b, b.load(counts[n.param[1]], typ=I64), lanes)]
        env = item.sweep(nodes, values, lanes, columns, pointers.__getitem__)
        if accumulate is not None:
            accumulate(i, env)
        for s in stores:
            value = [splat(b, x, lanes) for x in env[s.value.id]]
            p = pointers[s.operand]
            if s.mode == "band":
                *bands, step, column = [env[x.id] for x in s.index]
                coefficients = [[splat(b, v, lanes) for v in x] for x in bands]
                at = [one_lane(f, step)[0], one_lane(f, column)[0]]
                sequences.band_step(item, s, value, coefficients, at, p)
                continue
            if s.mode == "scatter":
                index = [one_lane(f, env[x.id]) if f.variant.uniform(x) else env[x.id] for x in s.index]
                sequences.scatter_step(item, s, value, index, p)
                continue
            if s.mode == "scan":
                value = scans[id(s)].step(value, [[splat(b, v, lanes) for v in env[x.id]] for x in s.index])
            if columns is not None:
                columns.store(value, p, s.operand)
            else:
                memory.store_scalar(b, value, p, f.dtypes[s.operand])
        f.advance(places, counts)

    if reduces:
        sweeps.column_reduce(item, reduces, body)
    else:
        with f.loop(I64(0), f.n_reduced, 1) as i:
            body(i, None)


def scatter_rows(item: Item, store: Store, lo: ir.Value, hi: ir.Value) -> None:
    """Visit the reduced elements in row-major order, and scatter the rows of those whose first index is in [lo, hi)."""
    f = item.frame
    b, columns = f.b, f.kept[-1]
    nodes, to_place = item.sweep_nodes([store.value, *store.index]), item.sweep_nodes(store.index)
    places = {k: f.var(PTR, item.base[k]) for k in operands_of(nodes, [store])}
    counts = [f.var(I64, I64(0)) for _ in range(f.R)]
    whole = b.and_(columns, I64(-LANES))
    tail = "masked" if machine.masks() else "either"
    number = sequences.number_before(f, store)
    if number is not None:
        p, (_, step) = item.base[store.operand], sequences.place_dim(f, store)

        def filled(v: ir.Value, path: str, place: ir.Value) -> None:
            axis = memory.Axis(f, b.sub(columns, v), path=path)
            axis.store(number, f.moved(place, b.mul(v, axis.stride(store.operand))), store.operand)

        with f.loop(lo, hi, 1) as i:
            place = f.moved(p, b.mul(i, step))
            with f.loop(I64(0), whole, LANES) as v:
                filled(v, "whole", place)
            with b.if_then(b.icmp_signed("<", whole, columns)):
                filled(whole, tail, place)
    with f.loop(I64(0), f.n_reduced, 1):
        row = {k: b.load(p, typ=PTR) for k, p in places.items()}
        shared = {n.id: [b.load(counts[n.param[1]], typ=I64)] for n in nodes if n.op == "index"}
        for n in to_place:
            if n.op == "load":
                shared[n.id] = memory.load_scalar(b, row[n.param], f.dtypes[n.param])
        env = item.sweep(to_place, shared, 0, None, row.__getitem__)
        shared.update({n.id: env[n.id] for n in to_place})
        first, offset = sequences.scatter_place(f, store, [env[x.id] for x in store.index], None)

        def vector(v: ir.Value, path: str, row: dict[int, ir.Value], shared: dict[int, Value], to: ir.Value) -> None:
            axis = memory.Axis(f, b.sub(columns, v), path=path)
            pointers = {k: f.moved(p, b.mul(v, axis.stride(k))) for k, p in row.items()}
            loads = [(n.id, pointers[n.param], n.param) for n in nodes if n.op == "load" and n.id not in shared]
            env = item.sweep(nodes, {**shared, **axis.load_many(loads)}, LANES, axis, pointers.__getitem__)
            value = [splat(b, x, LANES) for x in env[store.value.id]]
            sequences.scatter_row(f, store, value, f.moved(pointers[store.operand], to), axis)

        with b.if_then(b.icmp_unsigned("<", b.sub(first, lo), b.sub(hi, lo))):
            with f.loop(I64(0), whole, LANES) as v:
                vector(v, "whole", row, shared, offset)
            with b.if_then(b.icmp_signed("<", whole, columns)):
                vector(whole, tail, row, shared, offset)
        f.advance(places, counts)
