"""The loops of reductions in their fixed order, scans, scatters, and counter-based random bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rushlight.compiler.emit import memory
from rushlight.compiler.emit.reductions import combine, identity, part_of, state_types, tree, tree_of_lanes, where
from rushlight.compiler.emit.scalar import (
    I32,
    I64,
    Value,
    const,
    constant,
    extreme,
    lanes_of,
    pointwise,
    round_half,
    shaped,
    splat,
)
from rushlight.compiler.llvm import ir
from rushlight.core.dtypes import by_name
from rushlight.program.loops import BLOCK, CHUNK, LANES, Node, Store

if TYPE_CHECKING:
    from rushlight.compiler.emit.generator import Generator

ARG = ("argmax", "argmin")
SMALL = 8  # nodes of a sweep over windows that is worth writing out twice


class State:
    """One reduction's variables: its operand dtype `d`, the types of its parts."""

    def __init__(self, gen: Generator, node: Node) -> None:
        self.gen, self.node, self.name = gen, node, node.param.replace("window_", "reduce_")
        self.d = by_name[node.args[0].dtype]
        self.types = state_types(self.name, self.d)

    def identity(self, lanes: int) -> Value:
        return identity(self.name, self.d, lanes)

    def combine(self, x: Value, y: Value) -> Value:
        return combine(self.gen.b, self.name, self.d, x, y)

    def fold(self, acc: Value, parts: list[Value]) -> Value:
        """acc and then the parts. What bracketing cannot change (rounding can) meets first: a shorter chain from vector
        to vector.
        """
        if self.name.startswith(("reduce_sum", "reduce_prod")) and self.d.kind in "fc":
            for x in parts:
                acc = self.combine(acc, x)
            return acc
        while len(parts) > 1:
            parts = [self.combine(x, y) for x, y in zip(parts[::2], parts[1::2], strict=True)]
        return self.combine(acc, parts[0])

    def variables(self, lanes: int) -> list[ir.Value]:
        return [self.gen.var(t) for t in (shaped(t, lanes) for t in self.types)]

    def set(self, variables: list[ir.Value], v: Value) -> None:
        for p, x in zip(variables, v, strict=True):
            self.gen.b.store(x, p)

    def read(self, variables: list[ir.Value], lanes: int) -> Value:
        return [self.gen.b.load(p, typ=shaped(t, lanes)) for p, t in zip(variables, self.types, strict=True)]

    def arrays(self, lanes: int) -> list[ir.Value]:
        """LANES states in memory, of `lanes` columns each."""
        return [self.gen.array(shaped(t, lanes), LANES) for t in self.gen.memory_types(self.types)]

    def table(self) -> list[ir.Value]:
        """LANES states of one column in memory: scalars, or all of them one vector."""
        return [self.gen.array(shaped(t, LANES), 1) for t in self.gen.memory_types(self.types)]

    def slot(self, array: ir.Value, part: int, i: ir.Value, lanes: int) -> ir.Value:
        return self.gen.at(array, shaped(self.gen.memory_types(self.types)[part], lanes), i)

    def get_slot(self, arrays: list[ir.Value], i: ir.Value, lanes: int) -> Value:
        return [self.gen.get(self.slot(a, k, i, lanes), self.types[k], lanes) for k, a in enumerate(arrays)]

    def put_slot(self, arrays: list[ir.Value], i: ir.Value, v: Value) -> None:
        for k, (a, x) in enumerate(zip(arrays, v, strict=True)):
            self.gen.put(x, self.slot(a, k, i, lanes_of(x)))

    def clear(self, arrays: list[ir.Value], lanes: int) -> None:
        with self.gen.loop(I64(0), I64(LANES), 1) as j:
            self.put_slot(arrays, j, self.identity(lanes))

    def tree_in_memory(self, arrays: list[ir.Value], first: ir.Value) -> Value:
        """`tree_of_lanes` over the slots from `first` on, which are overwritten: little code for what is done once a
        chunk.
        """
        gen = self.gen
        b = gen.b
        width = gen.var(I64, I64(LANES // 2))
        with gen.while_(lambda: b.icmp_signed(">", b.load(width, typ=I64), I64(0))):
            n = b.load(width, typ=I64)
            with gen.loop(first, b.add(first, n), 1) as j:
                self.put_slot(
                    arrays, j, self.combine(self.get_slot(arrays, j, LANES), self.get_slot(arrays, b.add(j, n), LANES))
                )
            b.store(b.lshr(n, I64(1)), width)
        return self.get_slot(arrays, first, LANES)

    def finish(self, v: Value) -> Value:
        """The value of the node from the final state."""
        if self.name in ARG:
            return [v[1]]
        return round_half(self.gen.b, v, by_name[self.node.dtype])


def row_reduce(gen: Generator, reduces: list[Node], start: ir.Value, end: ir.Value, sweep: Callable[..., None]) -> None:
    """Reduce [start, end) of the reduced elements along lanes; see `program/loops.py` for the order.

    sweep(lo, hi, accumulate) visits [lo, hi), LANES elements at a time.
    """
    b = gen.b
    states = [State(gen, r) for r in reduces]
    accs = [s.variables(LANES) for s in states]
    blocks = [s.variables(LANES) for s in states]
    totals = [s.variables(0) for s in states]
    part = gen.mode == "part"
    tables = [] if part else [s.table() for s in states]
    for s, t in zip(states, totals, strict=True):
        s.set(t, s.identity(0))
    many = b.icmp_signed(">", gen.n_reduced, I64(CHUNK))
    if not part:
        with b.if_then(many, likely=False):
            for s, table in zip(states, tables, strict=True):
                s.put_slot(table, I64(0), s.identity(LANES))

    accumulate = _accumulator(b, states, accs)
    with gen.loop(start, end, CHUNK) as c0:
        for s, v in zip(states, blocks, strict=True):
            s.set(v, s.identity(LANES))
        c1 = gen.least(end, b.add(c0, I64(CHUNK)))
        with gen.loop(c0, c1, BLOCK) as b0:
            for s, acc in zip(states, accs, strict=True):
                s.set(acc, s.identity(LANES))
            b1 = gen.least(c1, b.add(b0, I64(BLOCK)))
            sweep(b0, b1, accumulate)
            for s, acc, v in zip(states, accs, blocks, strict=True):
                s.set(v, s.combine(s.read(v, LANES), s.read(acc, LANES)))
        partials = [tree(b, s.name, s.d, s.read(v, LANES)) for s, v in zip(states, blocks, strict=True)]
        if part:
            write_partials(gen, states, partials, gen.chunks[0][1])
        else:
            for s, t, p in zip(states, totals, partials, strict=True):
                s.set(t, p)
            with b.if_then(many, likely=False):
                lane = b.and_(b.sdiv(c0, I64(CHUNK)), I64(LANES - 1))
                for s, table, p in zip(states, tables, partials, strict=True):
                    s.put_slot(table, lane, s.combine(s.get_slot(table, lane, 0), p))
    if part:
        return
    with b.if_then(many, likely=False):
        for s, t, table in zip(states, totals, tables, strict=True):
            s.set(t, tree(b, s.name, s.d, s.get_slot(table, I64(0), LANES)))
    for s, t in zip(states, totals, strict=True):
        gen.outer[s.node.id] = s.finish(s.read(t, 0))


def _accumulator(b: ir.IRBuilder, states: list[State], accs: list[list[ir.Value]]) -> Callable[..., None]:
    def accumulate(i: ir.Value, axis: memory.Axis | None, env: dict[int, Value]) -> None:
        for s, acc in zip(states, accs, strict=True):
            x = env[s.node.args[0].id]
            if axis is None:  # a group of vectors
                s.set(acc, s.fold(s.read(acc, LANES), group_parts(b, s, x, i)))
                continue
            x = [splat(b, v, LANES) for v in x]
            if s.name in ARG:
                x = [*x, axis.iota(i)]
            s.set(
                acc,
                s.combine(s.read(acc, LANES), x if axis.path == "whole" else where(b, axis.mask, x, s.identity(LANES))),
            )

    return accumulate


def pair_reduce(gen: Generator, reduces: list[Node], lanes: int, group: Callable[..., None]) -> None:
    """Reduce the item's two chunks, both whole, side by side; each gives what `row_reduce` makes of it.

    group(i, accumulate, ahead) visits `lanes` elements from i on.
    """
    b = gen.b
    states = [State(gen, r) for r in reduces]
    accs = [[s.variables(LANES) for s in states] for _ in gen.chunks]
    blocks = [[s.variables(LANES) for s in states] for _ in gen.chunks]
    starts = [b.mul(chunk, I64(CHUNK)) for chunk, _ in gen.chunks]

    def clear(variables: list[list[list[ir.Value]]]) -> None:
        for row in variables:
            for s, v in zip(states, row, strict=True):
                s.set(v, s.identity(LANES))

    clear(blocks)
    with gen.loop(I64(0), I64(CHUNK), BLOCK) as first:
        clear(accs)
        with gen.loop(first, b.add(first, I64(BLOCK)), lanes) as i:
            for start, acc in zip(starts, accs, strict=True):
                group(b.add(start, i), _accumulator(b, states, acc), False)
        for acc, block in zip(accs, blocks, strict=True):
            for s, x, v in zip(states, acc, block, strict=True):
                s.set(v, s.combine(s.read(v, LANES), s.read(x, LANES)))
    for (_, number), block in zip(gen.chunks, blocks, strict=True):
        write_partials(
            gen, states, [tree(b, s.name, s.d, s.read(v, LANES)) for s, v in zip(states, block, strict=True)], number
        )


def group_parts(b: ir.IRBuilder, s: State, x: Value, i: ir.Value) -> list[Value]:
    """The vectors of LANES elements, from element i on, that a group consists of."""
    out = []
    for k in range(lanes_of(x[0]) // LANES):
        part = [part_of(b, v, k * LANES, LANES) for v in x]
        if s.name in ARG:
            part.append(b.add(splat(b, b.add(i, I64(k * LANES)), LANES), memory.lane_numbers(I64)))
        out.append(part)
    return out


def slots_of(reduces: list[Node]) -> int:
    """How many 8-byte slots the partial results of one chunk take."""
    return sum(len(state_types(r.param, by_name[r.args[0].dtype])) for r in reduces)


def write_partials(gen: Generator, states: list[State], partials: list[Value], number: ir.Value) -> None:
    """The states of chunk `number`, of all kept elements' chunks, into the workspace."""
    per_item = sum(len(s.types) for s in states)
    p = gen.at(gen.workspace, I64, gen.b.mul(number, I64(per_item)))
    for value in (x for v in partials for x in v):
        gen.put(value, p)
        p = gen.at(p, I64, I64(1))


def combine_partials(gen: Generator, reduces: list[Node]) -> None:
    """Mode "final": the chunks' partial results, combined as `row_reduce` combines them."""
    b = gen.b
    states = [State(gen, r) for r in reduces]
    tables = [s.table() for s in states]
    for s, table in zip(states, tables, strict=True):
        s.put_slot(table, I64(0), s.identity(LANES))
    n_chunks = b.sdiv(b.add(gen.n_reduced, I64(CHUNK - 1)), I64(CHUNK))
    per_item = sum(len(s.types) for s in states)
    base = b.mul(gen.item_number, n_chunks)
    with gen.loop(I64(0), n_chunks, 1) as c:
        p = gen.at(gen.workspace, I64, b.mul(b.add(base, c), I64(per_item)))
        lane = b.and_(c, I64(LANES - 1))
        for s, table in zip(states, tables, strict=True):
            v = []
            for t in s.types:
                v.append(gen.get(p, t, 0))
                p = gen.at(p, I64, I64(1))
            s.put_slot(table, lane, s.combine(s.get_slot(table, lane, 0), v))
    for s, table in zip(states, tables, strict=True):
        gen.outer[s.node.id] = s.finish(tree(b, s.name, s.d, s.get_slot(table, I64(0), LANES)))


def column_reduce(gen: Generator, reduces: list[Node], body: Callable[..., None]) -> None:
    """Reduce with columns along lanes: the LANES accumulators of the fixed order are LANES vectors in memory."""
    b = gen.b
    states = [State(gen, r) for r in reduces]
    accs, blocks, tables = ([s.arrays(LANES) for s in states] for _ in range(3))
    totals = [s.variables(LANES) for s in states]
    n = gen.n_reduced
    many = b.icmp_signed(">", n, I64(CHUNK))
    for k, s in enumerate(states):
        s.set(totals[k], s.identity(LANES))
        s.clear(accs[k], LANES)
    with b.if_then(many, likely=False):
        for k, s in enumerate(states):
            s.clear(tables[k], LANES)

    def accumulate(i: ir.Value, env: dict[int, Value]) -> None:
        lane = b.and_(i, I64(LANES - 1))
        for s, acc in zip(states, accs, strict=True):
            x = [splat(b, v, LANES) for v in env[s.node.args[0].id]]
            if s.name in ARG:
                x = [*x, splat(b, i, LANES)]
            s.put_slot(acc, lane, s.combine(s.get_slot(acc, lane, LANES), x))

    with gen.loop(I64(0), n, CHUNK) as c0:
        for k, s in enumerate(states):
            s.clear(blocks[k], LANES)
        c1 = gen.least(n, b.add(c0, I64(CHUNK)))
        with gen.loop(c0, c1, BLOCK) as b0:
            with gen.loop(b0, gen.least(c1, b.add(b0, I64(BLOCK))), 1) as i:
                body(i, accumulate)
            with gen.loop(I64(0), I64(LANES), 1) as j:
                for k, s in enumerate(states):
                    s.put_slot(blocks[k], j, s.combine(s.get_slot(blocks[k], j, LANES), s.get_slot(accs[k], j, LANES)))
                    s.put_slot(accs[k], j, s.identity(LANES))
        partials = [
            tree_of_lanes(b, s.name, s.d, [s.get_slot(blocks[k], I64(j), LANES) for j in range(LANES)])
            for k, s in enumerate(states)
        ]
        for k, s in enumerate(states):
            s.set(totals[k], partials[k])
        with b.if_then(many, likely=False):
            lane = b.and_(b.sdiv(c0, I64(CHUNK)), I64(LANES - 1))
            for k, s in enumerate(states):
                s.put_slot(tables[k], lane, s.combine(s.get_slot(tables[k], lane, LANES), partials[k]))
    with b.if_then(many, likely=False):
        for k, s in enumerate(states):
            s.set(totals[k], s.tree_in_memory(tables[k], I64(0)))
    for k, s in enumerate(states):
        gen.outer[s.node.id] = s.finish(s.read(totals[k], LANES))


def window_reduce(gen: Generator, reduces: list[Node], nodes: list[Node]) -> None:
    """Reduce in sequence, with columns along lanes: loops over the reduced dims, and a state in registers for each
    reduction.
    """
    b = gen.b
    states = [State(gen, r) for r in reduces]
    accs = [s.variables(LANES) for s in states]
    for s, acc in zip(states, accs, strict=True):
        s.set(acc, s.identity(LANES))
    used = sorted({n.param if n.op == "load" else n.param[0] for n in nodes if n.op in ("load", "gather")})

    def visit(places: dict[int, ir.Value], at: list[ir.Value]) -> None:
        d = len(at)
        if d < gen.R:
            with gen.loop(I64(0), gen.reduced[d], 1) as i:
                visit({k: gen.moved(p, b.mul(i, gen.strides[k][gen.K + d])) for k, p in places.items()}, [*at, i])
            return
        take(places, at)

    def take(places: dict[int, ir.Value], at: list[ir.Value]) -> None:
        values = gen.columns.load_many([(n.id, places[n.param], n.param) for n in nodes if n.op == "load"])
        values.update({n.id: [splat(b, at[n.param[1]], LANES)] for n in nodes if n.op == "index"})
        env = gen.emit_sweep(nodes, values, LANES, gen.columns, places.__getitem__)
        for s, acc in zip(states, accs, strict=True):
            s.set(acc, s.combine(s.read(acc, LANES), [splat(b, v, LANES) for v in env[s.node.args[0].id]]))

    start = {k: gen.base[k] for k in used}
    if gen.R == 2 and len(nodes) <= SMALL:
        two = b.and_(b.icmp_signed("==", gen.reduced[0], I64(2)), b.icmp_signed("==", gen.reduced[1], I64(2)))
        with b.if_else(two) as (square, other):
            with square:
                for i in range(2):
                    for j in range(2):
                        at = [I64(i), I64(j)]
                        take(
                            {
                                k: gen.moved(p, *(b.mul(x, gen.strides[k][gen.K + d]) for d, x in enumerate(at)))
                                for k, p in start.items()
                            },
                            at,
                        )
            with other:
                visit(start, [])
    else:
        visit(start, [])
    for s, acc in zip(states, accs, strict=True):
        gen.outer[s.node.id] = s.finish(s.read(acc, LANES))


class Scan:
    """A running combination along the reduced dim, in sequence from its first element.

    param = (name, value dtype): cumsum and cumprod have one stored result; cummax and cummin keep the element's index
    too (a later equal element, or NaN, takes over), of which this store writes the value or, for "index", the position.
    """

    def __init__(self, gen: Generator, store: Store, lanes: int) -> None:
        self.gen, self.store, self.lanes = gen, store, lanes
        self.name, dtype_name, self.what, self.reverse = store.param
        self.d = by_name[dtype_name]
        base = {
            "cumsum": "reduce_sum",
            "cumprod": "reduce_prod",
            "cummax": "reduce_max",
            "cummin": "reduce_min",
            "cumlogsumexp": "reduce_max",
            "linrec": "reduce_sum",
        }
        empty_log = self.name == "cumlogsumexp" and self.d.kind == "c"  # reduce_max has no complex identity
        start = constant(self.d, float("-inf"), lanes) if empty_log else [*identity(base[self.name], self.d, lanes)]
        if self.name in ("cummax", "cummin"):
            start.append(const(I64, 0, lanes))
        self.types = [v.type for v in start]
        self.state = [gen.var(v.type, v) for v in start]

    def step(self, i: ir.Value, x: Value, p: ir.Value, factor: list[Value]) -> None:
        gen = self.gen
        b = gen.b
        old = [b.load(s, typ=t) for s, t in zip(self.state, self.types, strict=True)]
        if self.name in ("cumsum", "cumprod"):
            new = combine(b, "reduce_sum" if self.name == "cumsum" else "reduce_prod", self.d, old, x)
        elif self.name == "linrec":
            new = pointwise(b, "add", [pointwise(b, "mul", [factor[0], old], self.d, self.d), x], self.d, self.d)
        elif self.name == "cumlogsumexp":
            new = (
                log_add_exp_complex(b, old, x, self.d) if self.d.kind == "c" else [log_add_exp(b, old[0], x[0], self.d)]
            )
        else:
            largest = self.name == "cummax"
            if self.d.kind == "f":
                beats = b.fcmp_ordered(">=" if largest else "<=", x[0], old[0])
                take = b.or_(beats, b.fcmp_unordered("uno", x[0], x[0]))
            elif self.d.kind == "i":
                take = b.icmp_signed(">=" if largest else "<=", x[0], old[0])
            else:
                take = b.icmp_unsigned(">=" if largest else "<=", x[0], old[0])
            position = i if not self.reverse else b.sub(b.sub(gen.n_reduced, I64(1)), i)
            new = [b.select(take, x[0], old[0]), b.select(take, splat(b, position, self.lanes), old[1])]
        for s, v in zip(self.state, new, strict=True):
            b.store(v, s)
        out = [new[1]] if self.what == "index" else new[: 2 if self.d.kind == "c" else 1]
        out_d = gen.dtypes[self.store.operand]
        if self.lanes:
            gen.columns.store(out, p, self.store.operand)
        else:
            memory.store_scalar(b, out, p, out_d)


def log_add_exp(b: ir.IRBuilder, x: ir.Value, y: ir.Value, d: Any) -> ir.Value:
    """log(exp x + exp y) = max + log1p(exp(min - max)); equal infinities give themselves."""
    high, low = extreme(b, x, y, d, True), extreme(b, x, y, d, False)
    wide = d.compute
    tail = pointwise(b, "log1p", [pointwise(b, "exp", [[b.fsub(low, high)]], wide, wide)], wide, wide)
    return b.select(b.fcmp_ordered("==", low, high), _equal_sum(b, high), b.fadd(high, tail[0]))


def log_add_exp_complex(b: ir.IRBuilder, x: Value, y: Value, d: Any) -> Value:
    """log(exp x + exp y) of complex numbers: the one of larger real part + log1p(exp(other - it)); zero summands give
    -inf.
    """
    first, d = b.fcmp_ordered(">=", x[0], y[0]), d.compute
    high, low = ([b.select(first, u, v) for u, v in zip(s, t, strict=True)] for s, t in ((x, y), (y, x)))
    tail = pointwise(b, "log1p", [pointwise(b, "exp", [pointwise(b, "sub", [low, high], d, d)], d, d)], d, d)
    lanes = lanes_of(high[0])
    nothing = b.fcmp_ordered(
        "==", high[0], const(high[0].type.element if lanes else high[0].type, float("-inf"), lanes)
    )
    return [b.select(nothing, u, v) for u, v in zip(high, pointwise(b, "add", [high, tail], d, d), strict=True)]


def _equal_sum(b: ir.IRBuilder, x: ir.Value) -> ir.Value:
    lanes = lanes_of(x)
    t = x.type.element if lanes else x.type
    return b.fadd(x, const(t, 0.6931471805599453, lanes))


def band_step(
    gen: Generator, store: Store, value: Value, bands: list[Value], at: list[ir.Value], p: ir.Value, lanes: int
) -> None:
    """out[t, s] = value + sum_k bands[k] * out[t-1, s-k] (or the same among logarithms), read from and written to
    memory.

    at: the numbers t and s of the visit. param = (name, (scalars of the strides along which t and s count)).
    """
    b, d = gen.b, gen.dtypes[store.operand]
    up, left = band_strides(gen, store)
    started = b.icmp_signed(">", at[0], I64(0))

    def before(k: int) -> tuple[ir.Value, Value]:
        there = b.and_(started, b.icmp_signed(">=", at[1], I64(k)))
        # Where there is none, what is about to be overwritten is read instead.
        q = b.select(there, gen.moved(p, b.neg(b.add(up, b.mul(left, I64(k))))), p)
        return there, gen.columns.load(q, store.operand) if lanes else memory.load_scalar(b, q, d)

    out = band_sum(gen, store, value, bands, before, lanes)
    if lanes:
        gen.columns.store(out, p, store.operand)
    else:
        memory.store_scalar(b, out, p, d)


def band_row(
    gen: Generator, store: Store, value: Value, bands: list[Value], at: list[ir.Value], row: ir.Value, axis: memory.Axis
) -> None:
    """The same for LANES places of one step side by side. at: t, and the places' numbers. row: where the step's first
    place is.
    """
    b, d = gen.b, gen.dtypes[store.operand]
    up, left = band_strides(gen, store)
    started = b.icmp_signed(">", at[0], I64(0))
    last = splat(b, b.sub(gen.reduced[1], I64(1)), LANES)
    place = b.select(b.icmp_signed("<", at[1], last), at[1], last)
    earlier, zero = b.select(started, gen.moved(row, b.neg(up)), row), const(I64, 0, LANES)

    def before(k: int) -> tuple[ir.Value, Value]:
        enough = b.icmp_signed(">=", place, const(I64, k, LANES))
        back = b.select(enough, b.sub(place, const(I64, k, LANES)), zero)
        return b.and_(enough, splat(b, started, LANES)), memory.gather_load(
            b, earlier, b.mul(back, splat(b, left, LANES)), d
        )

    axis.store(
        band_sum(gen, store, value, bands, before, LANES),
        gen.moved(row, b.mul(b.extract_element(at[1], I32(0)), left)),
        store.operand,
    )


def band_strides(gen: Generator, store: Store) -> list[ir.Value]:
    """In bytes, along steps and places, as they are visited."""
    return [gen.b.mul(gen.scalar_value(k), I64(gen.dtypes[store.operand].itemsize)) for k in store.param[1]]


def band_sum(
    gen: Generator,
    store: Store,
    value: Value,
    bands: list[Value],
    before: Callable[[int], tuple[ir.Value, Value]],
    lanes: int,
) -> Value:
    """value + sum_k bands[k] * before(k), in this order, or the same among logarithms; before(k): whether there is one,
    and it.
    """
    b, d = gen.b, gen.dtypes[store.operand]
    linear = store.param[0] == "bandrec"
    none = constant(d, 0.0 if linear else float("-inf"), lanes)
    terms = [value]
    for k, a in enumerate(bands):
        there, y = before(k)
        term = pointwise(b, "mul" if linear else "add", [a, y], d, d)
        terms.append([b.select(there, x, z) for x, z in zip(term, none, strict=True)])
    if not linear:
        return log_sum_exp(b, terms, d, lanes)
    out = terms[0]
    for x in terms[1:]:
        out = pointwise(b, "add", [out, x], d, d)
    return out


def log_sum_exp(b: ir.IRBuilder, terms: list[Value], d: Any, lanes: int) -> Value:
    """log(sum of exp x) = max + log(sum of exp(x - max)), an infinite max taken as 0."""
    top = terms[0]
    for x in terms[1:]:
        top = [extreme(b, top[0], x[0], d, True)]
    endless = b.fcmp_ordered("==", pointwise(b, "abs", [top], d, d)[0], constant(d, float("inf"), lanes)[0])
    top = [b.select(endless, constant(d, 0.0, lanes)[0], top[0])]
    total: Value | None = None
    for x in terms:
        e = pointwise(b, "exp", [pointwise(b, "sub", [x, top], d, d)], d, d)
        total = e if total is None else pointwise(b, "add", [total, e], d, d)
    assert total is not None
    return pointwise(b, "add", [pointwise(b, "log", [total], d, d), top], d, d)


def scatter_step(gen: Generator, store: Store, value: Value, index: list[Value], p: ir.Value, lanes: int) -> None:
    """out[index] = out[index] (mode) value, at p + sum of index * stride; param = (mode, ((size, stride) scalars,
    ...)).
    """
    b = gen.b
    mode, dims = store.param
    d = gen.dtypes[store.operand]
    axis = gen.columns if lanes else None
    uniform = all(lanes_of(i[0]) == 0 for i in index)
    offset: ir.Value = const(I64, 0, 0)
    for j, (size_k, stride_k) in enumerate(dims):
        size, stride = gen.scalar_value(size_k), gen.scalar_value(stride_k)
        x = memory.check_index(gen, index[j][0], size, j, axis if lanes_of(index[j][0]) else None)
        if not uniform:
            x = splat(b, x, lanes)
        term = b.mul(x, splat(b, b.mul(stride, I64(d.itemsize)), lanes_of(x)))
        offset = term if j == 0 else b.add(offset, term)
    combined = {"add": "add", "mul": "mul", "max": "max", "min": "min"}.get(mode)
    if not lanes:
        q = gen.moved(p, offset)
        if combined:
            value = pointwise(b, combined, [memory.load_scalar(b, q, d), value], d, d)
        memory.store_scalar(b, value, q, d)
        return
    if uniform:
        q = gen.moved(p, offset)
        if combined:
            value = pointwise(b, combined, [gen.columns.load(q, store.operand), value], d, d)
        gen.columns.store(value, q, store.operand)
        return
    offset = b.add(offset, gen.columns.offsets(store.operand))
    if combined:
        value = pointwise(b, combined, [memory.gather_load(b, p, offset, d), value], d, d)
    memory.scatter_store(b, value, p, offset, d, gen.columns.mask)


def random_bits(b: ir.IRBuilder, args: list[Value], node: Node, lanes: int) -> Value:
    """Philox4x32-10 (Salmon et al., SC 2011): key = seed's halves, counter = (offset + i, 0, 0); the first one or two
    words.
    """
    seed, counter = args[0][0], args[1][0]
    half = shaped(I32, lanes)
    k0, k1 = b.trunc(seed, half), b.trunc(b.lshr(seed, const(I64, 32, lanes)), half)
    c = [
        b.trunc(counter, half),
        b.trunc(b.lshr(counter, const(I64, 32, lanes)), half),
        const(I32, 0, lanes),
        const(I32, 0, lanes),
    ]
    for r in range(10):
        if r:
            k0 = b.add(k0, const(I32, 0x9E3779B9 - (1 << 32), lanes))
            k1 = b.add(k1, const(I32, 0xBB67AE85 - (1 << 32), lanes))
        h0, l0 = _wide_mul(b, c[0], 0xD2511F53, lanes)
        h1, l1 = _wide_mul(b, c[2], 0xCD9E8D57, lanes)
        c = [b.xor(b.xor(h1, c[1]), k0), l1, b.xor(b.xor(h0, c[3]), k1), l0]
    if node.dtype == "uint32":
        return [c[0]]
    wide = shaped(I64, lanes)
    return [b.or_(b.zext(c[0], wide), b.shl(b.zext(c[1], wide), const(I64, 32, lanes)))]


def _wide_mul(b: ir.IRBuilder, x: ir.Value, m: int, lanes: int) -> tuple[ir.Value, ir.Value]:
    wide = b.mul(b.zext(x, shaped(I64, lanes)), const(I64, m, lanes))
    half = shaped(I32, lanes)
    return b.trunc(b.lshr(wide, const(I64, 32, lanes)), half), b.trunc(wide, half)
