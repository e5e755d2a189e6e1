"""The loops of reductions, in their fixed order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rushlight.compiler.emit import memory
from rushlight.compiler.emit.frame import Frame
from rushlight.compiler.emit.item import Item, operands_of
from rushlight.compiler.emit.reductions import ARG, combine, identity, part_of, state_types, tree, tree_of_lanes, where
from rushlight.compiler.emit.scalar import Value, round_half
from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.control import while_
from rushlight.compiler.llvm.ir import I64
from rushlight.compiler.llvm.lanes import lanes_of, shaped, splat
from rushlight.core.dtypes import by_name
from rushlight.program.loops import BLOCK, CHUNK, LANES, Node

Chunk = tuple[ir.Value, ir.Value]  # its number in the kept element, and in all
FEW = 4  # reduced elements of a column, of which the tree has two levels
SMALL = 8  # nodes of a sweep over windows that is worth writing out twice


class State:
    """One reduction's variables: its operand dtype `d`, the types of its parts."""

    def __init__(self, frame: Frame, node: Node) -> None:
        self.frame, self.node, self.name = frame, node, node.param.replace("window_", "reduce_")
        self.d = by_name[node.args[0].dtype]
        self.types = state_types(self.name, self.d)

    def identity(self, lanes: int) -> Value:
        return identity(self.name, self.d, lanes)

    def combine(self, x: Value, y: Value) -> Value:
        return combine(self.frame.b, self.name, self.d, x, y)

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
        return [self.frame.var(t) for t in (shaped(t, lanes) for t in self.types)]

    def set(self, variables: list[ir.Value], v: Value) -> None:
        for p, x in zip(variables, v, strict=True):
            self.frame.b.store(x, p)

    def read(self, variables: list[ir.Value], lanes: int) -> Value:
        return [self.frame.b.load(p, typ=shaped(t, lanes)) for p, t in zip(variables, self.types, strict=True)]

    def arrays(self, lanes: int) -> list[ir.Value]:
        """LANES states in memory, of `lanes` columns each."""
        return [self.frame.array(shaped(t, lanes), LANES) for t in self.frame.memory_types(self.types)]

    def table(self) -> list[ir.Value]:
        """LANES states of one column in memory: scalars, or all of them one vector."""
        return [self.frame.array(shaped(t, LANES), 1) for t in self.frame.memory_types(self.types)]

    def slot(self, array: ir.Value, part: int, i: ir.Value, lanes: int) -> ir.Value:
        return self.frame.at(array, shaped(self.frame.memory_types(self.types)[part], lanes), i)

    def get_slot(self, arrays: list[ir.Value], i: ir.Value, lanes: int) -> Value:
        return [self.frame.get(self.slot(a, k, i, lanes), self.types[k], lanes) for k, a in enumerate(arrays)]

    def put_slot(self, arrays: list[ir.Value], i: ir.Value, v: Value) -> None:
        for k, (a, x) in enumerate(zip(arrays, v, strict=True)):
            self.frame.put(x, self.slot(a, k, i, lanes_of(x)))

    def clear(self, arrays: list[ir.Value], lanes: int) -> None:
        with self.frame.loop(I64(0), I64(LANES), 1) as j:
            self.put_slot(arrays, j, self.identity(lanes))

    def tree_in_memory(self, arrays: list[ir.Value], first: ir.Value) -> Value:
        """`tree_of_lanes` over the slots from `first` on, which are overwritten: little code for what is done once a
        chunk.
        """
        f = self.frame
        b = f.b
        width = f.var(I64, I64(LANES // 2))
        with while_(b, lambda: b.icmp_signed(">", b.load(width, typ=I64), I64(0))):
            n = b.load(width, typ=I64)
            with f.loop(first, b.add(first, n), 1) as j:
                self.put_slot(
                    arrays, j, self.combine(self.get_slot(arrays, j, LANES), self.get_slot(arrays, b.add(j, n), LANES))
                )
            b.store(b.lshr(n, I64(1)), width)
        return self.get_slot(arrays, first, LANES)

    def finish(self, v: Value) -> Value:
        """The value of the node from the final state."""
        if self.name in ARG:
            return [v[1]]
        return round_half(self.frame.b, v, by_name[self.node.dtype])


def reset(states: list[State], variables: list[list[ir.Value]], lanes: int = LANES) -> None:
    """Begin anew: each state's variables hold nothing yet."""
    for s, v in zip(states, variables, strict=True):
        s.set(v, s.identity(lanes))


def merge(states: list[State], into: list[list[ir.Value]], variables: list[list[ir.Value]]) -> None:
    """Combine what each state's first variables hold with what its second ones hold, which come after."""
    for s, v, x in zip(states, into, variables, strict=True):
        s.set(v, s.combine(s.read(v, LANES), s.read(x, LANES)))


def settle(item: Item, states: list[State], totals: list[list[ir.Value]], lanes: int) -> None:
    """The values of the reductions, from their final states."""
    for s, t in zip(states, totals, strict=True):
        item.settle(s.node, s.finish(s.read(t, lanes)))


def row_reduce(
    item: Item,
    reduces: list[Node],
    start: ir.Value,
    end: ir.Value,
    sweep: Callable[..., None],
    chunk: ir.Value | None = None,
    two: TwoBlocks | None = None,
) -> None:
    """Reduce [start, end) of the reduced elements along lanes; see `program/loops.py` for the order.

    sweep(lo, hi, accumulate) visits [lo, hi), LANES elements at a time. chunk: the number of the chunk that [start,
    end) is, whose states go to the workspace; without it the reductions are settled. two: how two blocks are visited
    side by side, if they may be.
    """
    f = item.frame
    b = f.b
    states = [State(f, r) for r in reduces]
    accs = [s.variables(LANES) for s in states]
    blocks = [s.variables(LANES) for s in states]
    totals = [s.variables(0) for s in states]
    part = chunk is not None
    tables = [] if part else [s.table() for s in states]
    reset(states, totals, 0)
    many = b.icmp_signed(">", f.n_reduced, I64(CHUNK))
    if not part:
        with b.if_then(many, likely=False):
            for s, table in zip(states, tables, strict=True):
                s.put_slot(table, I64(0), s.identity(LANES))

    accumulate = _accumulator(b, states, accs)
    with f.loop(start, end, CHUNK) as c0:
        reset(states, blocks)
        c1 = f.least(end, b.add(c0, I64(CHUNK)))
        first = c0
        if two is not None:
            first = b.add(c0, b.and_(b.sub(c1, c0), I64(-2 * BLOCK)))
            with f.loop(c0, first, 2 * BLOCK) as b0:
                two.visit(states, accs, b0)
                two.settle(states, accs, blocks)
        with f.loop(first, c1, BLOCK) as b0:
            reset(states, accs)
            b1 = f.least(c1, b.add(b0, I64(BLOCK)))
            sweep(b0, b1, accumulate)
            merge(states, blocks, accs)
        partials = [tree(b, s.name, s.d, s.read(v, LANES)) for s, v in zip(states, blocks, strict=True)]
        if chunk is not None:
            write_partials(f, states, partials, chunk)
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
    settle(item, states, totals, 0)


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


class TwoBlocks:
    """Two blocks of a row side by side; each gives what it gives alone.

    group(i, accumulate, ahead) visits `lanes` elements from i on. ready(lo, hi): what comes before [lo, hi) is visited.
    """

    def __init__(
        self, f: Frame, lanes: int, group: Callable[..., None], ready: Callable[..., None] | None = None
    ) -> None:
        self.frame, self.lanes, self.group, self.ready = f, lanes, group, ready
        self.second: list[list[ir.Value]] = []

    def visit(self, states: list[State], accs: list[list[ir.Value]], first: ir.Value) -> None:
        """Blocks `first` and the next."""
        f, b = self.frame, self.frame.b
        self.second = self.second or [s.variables(LANES) for s in states]
        both = [accs, self.second]
        if self.ready is not None:
            self.ready(first, b.add(first, I64(2 * BLOCK)))
        for variables in both:
            reset(states, variables)
        with f.loop(first, b.add(first, I64(BLOCK)), self.lanes) as i:
            for k, variables in enumerate(both):
                self.group(b.add(i, I64(k * BLOCK)), _accumulator(b, states, variables), False)

    def settle(self, states: list[State], accs: list[list[ir.Value]], blocks: list[list[ir.Value]]) -> None:
        """Add what they have come to, in their order."""
        for variables in (accs, self.second):
            merge(states, blocks, variables)


def side_by_side(
    f: Frame, states: list[State], lanes: int, size: ir.Value, visits: Sequence[Callable[..., None]]
) -> list[list[Value]]:
    """What `size` elements of each of several rows come to, a chunk at most: each as `row_reduce` has it.

    visits: visit(i, accumulate) visits `lanes` elements of its row from i on, all of which exist.
    """
    b = f.b
    accs = [[s.variables(LANES) for s in states] for _ in visits]
    blocks = [[s.variables(LANES) for s in states] for _ in visits]
    for block in blocks:
        reset(states, block)
    with f.loop(I64(0), size, BLOCK) as first:
        for acc in accs:
            reset(states, acc)
        with f.loop(first, f.least(size, b.add(first, I64(BLOCK))), lanes) as i:
            for visit, acc in zip(visits, accs, strict=True):
                visit(i, _accumulator(b, states, acc))
        for acc, block in zip(accs, blocks, strict=True):
            merge(states, block, acc)
    return [[tree(b, s.name, s.d, s.read(v, LANES)) for s, v in zip(states, block, strict=True)] for block in blocks]


def pair_reduce(f: Frame, reduces: list[Node], lanes: int, chunks: Sequence[Chunk], group: Callable[..., None]) -> None:
    """Reduce the two chunks, both whole, side by side; each gives what `row_reduce` makes of it.

    group(i, accumulate, ahead) visits `lanes` elements from i on.
    """

    def visit(start: ir.Value) -> Callable[..., None]:
        return lambda i, accumulate: group(f.b.add(start, i), accumulate, False)

    states = [State(f, r) for r in reduces]
    visits = [visit(f.b.mul(chunk, I64(CHUNK))) for chunk, _ in chunks]
    found = side_by_side(f, states, lanes, I64(CHUNK), visits)
    for (_, number), partials in zip(chunks, found, strict=True):
        write_partials(f, states, partials, number)


def rows_reduce(items: Sequence[Item], reduces: list[Node], lanes: int, visits: Sequence[Callable[..., None]]) -> None:
    """Reduce the rows of several items side by side, as `side_by_side` says."""
    f = items[0].frame
    states = [State(f, r) for r in reduces]
    for item, totals in zip(items, side_by_side(f, states, lanes, f.n_reduced, visits), strict=True):
        for s, total in zip(states, totals, strict=True):
            item.settle(s.node, s.finish(total))


def group_parts(b: ir.IRBuilder, s: State, x: Value, i: ir.Value) -> list[Value]:
    """The vectors of LANES elements, from element i on, that a group consists of."""
    out = []
    for k in range(lanes_of(x[0]) // LANES):
        part = [part_of(b, v, k * LANES, LANES) for v in x]
        if s.name in ARG:
            part.append(b.add(splat(b, b.add(i, I64(k * LANES)), LANES), memory.lane_numbers(I64)))
        out.append(part)
    return out


def write_partials(f: Frame, states: list[State], partials: list[Value], number: ir.Value) -> None:
    """The states of chunk `number`, of all kept elements' chunks, into the workspace."""
    per_item = sum(len(s.types) for s in states)
    p = f.at(f.workspace, I64, f.b.mul(number, I64(per_item)))
    for value in (x for v in partials for x in v):
        f.put(value, p)
        p = f.at(p, I64, I64(1))


def combine_partials(item: Item, reduces: list[Node], number: ir.Value) -> None:
    """The partial results of the chunks of kept element `number`, combined as `row_reduce` combines them."""
    f = item.frame
    b = f.b
    states = [State(f, r) for r in reduces]
    tables = [s.table() for s in states]
    for s, table in zip(states, tables, strict=True):
        s.put_slot(table, I64(0), s.identity(LANES))
    n_chunks = b.sdiv(b.add(f.n_reduced, I64(CHUNK - 1)), I64(CHUNK))
    per_item = sum(len(s.types) for s in states)
    base = b.mul(number, n_chunks)
    with f.loop(I64(0), n_chunks, 1) as c:
        p = f.at(f.workspace, I64, b.mul(b.add(base, c), I64(per_item)))
        lane = b.and_(c, I64(LANES - 1))
        for s, table in zip(states, tables, strict=True):
            v = []
            for t in s.types:
                v.append(f.get(p, t, 0))
                p = f.at(p, I64, I64(1))
            s.put_slot(table, lane, s.combine(s.get_slot(table, lane, 0), v))
    for s, table in zip(states, tables, strict=True):
        item.settle(s.node, s.finish(tree(b, s.name, s.d, s.get_slot(table, I64(0), LANES))))


def column_reduce(item: Item, reduces: list[Node], body: Callable[..., None]) -> None:
    """Reduce with columns along lanes: the LANES accumulators of the fixed order are LANES vectors in memory."""
    f = item.frame
    b = f.b
    states = [State(f, r) for r in reduces]
    accs, blocks, tables = ([s.arrays(LANES) for s in states] for _ in range(3))
    totals = [s.variables(LANES) for s in states]
    n = f.n_reduced
    several, many = b.icmp_signed(">", n, I64(BLOCK)), b.icmp_signed(">", n, I64(CHUNK))
    few = b.icmp_signed("<=", n, I64(FEW))
    reset(states, totals)
    with f.loop(I64(0), b.select(few, I64(FEW), I64(LANES)), 1) as j:
        for s, acc in zip(states, accs, strict=True):
            s.put_slot(acc, j, s.identity(LANES))
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

    with f.loop(I64(0), n, CHUNK) as c0:
        with b.if_then(several, likely=False):
            for k, s in enumerate(states):
                s.clear(blocks[k], LANES)
        c1 = f.least(n, b.add(c0, I64(CHUNK)))
        with f.loop(c0, c1, BLOCK) as b0:
            with f.loop(b0, f.least(c1, b.add(b0, I64(BLOCK))), 1) as i:
                body(i, accumulate)
            with b.if_then(several, likely=False), f.loop(I64(0), I64(LANES), 1) as j:
                for k, s in enumerate(states):
                    s.put_slot(blocks[k], j, s.combine(s.get_slot(blocks[k], j, LANES), s.get_slot(accs[k], j, LANES)))
                    s.put_slot(accs[k], j, s.identity(LANES))
        with b.if_else(few) as (four, sixteen):
            for side, lanes in ((four, FEW), (sixteen, LANES)):
                with side:  # (the lanes behind the few hold the identity, and the tree's first levels change nothing)
                    for k, s in enumerate(states):
                        last = [b.select(several, x, a) for a, x in zip(accs[k], blocks[k], strict=True)]
                        slots = [s.get_slot(last, I64(j), LANES) for j in range(lanes)]
                        s.set(totals[k], tree_of_lanes(b, s.name, s.d, slots))
        with b.if_then(many, likely=False):
            lane = b.and_(b.sdiv(c0, I64(CHUNK)), I64(LANES - 1))
            for k, s in enumerate(states):
                partial = s.read(totals[k], LANES)
                s.put_slot(tables[k], lane, s.combine(s.get_slot(tables[k], lane, LANES), partial))
    with b.if_then(many, likely=False):
        for k, s in enumerate(states):
            s.set(totals[k], s.tree_in_memory(tables[k], I64(0)))
    settle(item, states, totals, LANES)


def window_reduce(item: Item, reduces: list[Node], nodes: list[Node]) -> None:
    """Reduce in sequence, with columns along lanes: loops over the reduced dims, and a state in registers for each
    reduction.
    """
    f = item.frame
    b = f.b
    states = [State(f, r) for r in reduces]
    accs = [s.variables(LANES) for s in states]
    reset(states, accs)
    used = operands_of(nodes)

    def visit(places: dict[int, ir.Value], d: int) -> None:
        if d < f.R:
            with f.loop(I64(0), f.reduced[d], 1) as i:
                visit({k: f.moved(p, b.mul(i, f.strides[k][f.K + d])) for k, p in places.items()}, d + 1)
            return
        take(places)

    def take(places: dict[int, ir.Value]) -> None:
        values = item.axis.load_many([(n.id, places[n.param], n.param) for n in nodes if n.op == "load"])
        values.update({n.id: [item.axis.place(places[n.param], n.param)] for n in nodes if n.op == "place"})
        env = item.sweep(nodes, values, LANES, item.axis, places.__getitem__)
        for s, acc in zip(states, accs, strict=True):
            s.set(acc, s.combine(s.read(acc, LANES), [splat(b, v, LANES) for v in env[s.node.args[0].id]]))

    start = {k: item.base[k] for k in used}
    if f.R == 2 and len(nodes) <= SMALL:
        two = b.and_(b.icmp_signed("==", f.reduced[0], I64(2)), b.icmp_signed("==", f.reduced[1], I64(2)))
        with b.if_else(two) as (square, other):
            with square:
                for i in range(2):
                    for j in range(2):
                        take(
                            {
                                k: f.moved(p, *(b.mul(I64(x), f.strides[k][f.K + d]) for d, x in enumerate((i, j))))
                                for k, p in start.items()
                            }
                        )
            with other:
                visit(start, 0)
    else:
        visit(start, 0)
    settle(item, states, accs, LANES)
