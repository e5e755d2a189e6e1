"""A kernel of the loop IR as an LLVM function, for one variant: ranks, mode and the operands' classes along the vector
axis.

    int64 k(void **ptrs, const int64 *params, int64 begin, int64 end)

ptrs: one pointer per operand (its offset applied), in modes "part", "colpart" and "final" the workspace, and last the
error record (flag, index, size, dim). params: kept sizes, reduced sizes, each operand's strides in bytes (kept, then
reduced dims), the scalars (8 bytes, complex 16). Work items [begin, end): "col": (outer row) x (block of the innermost
kept dim); "row" and "final": kept elements in row-major order; "part": (kept element) x (chunk of CHUNK reduced
elements, or a pair of them where `kernel.block_of` says so); "colpart": ("col" item) x (chunk).

A loop's counter is a phi; other mutable state is in allocas, which SROA turns into registers. Every loop is written
once, with a full and a tail path for memory only, so that an expensive expression is emitted once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.compiler.emit import columns, functions, memory, odometer, scalar, sweeps, tiles
from rushlight.compiler.emit.scalar import I1, I8, I32, I64, Value, const, shaped, splat
from rushlight.compiler.kernels.kernel import CHEAP, GROUPED, PAIRED_FROM, block_of
from rushlight.compiler.llvm import ir, machine
from rushlight.compiler.llvm.ir import PTR
from rushlight.core.dtypes import by_name
from rushlight.program.loops import CHUNK, LANES, SEQUENTIAL, Loops, Node, Store

TIGHT = 24  # nodes of a sweep over several dims that is emitted twice
DIVISIONS = frozenset({"div", "floordiv", "rem", "fmod"})  # of integers: a zero divisor is an error


class Generator:
    """Emits one variant; `module` holds the function `k` afterwards."""

    def __init__(self, loops: Loops, K: int, R: int, mode: str, classes: str) -> None:
        self.loops, self.K, self.R, self.mode, self.classes = loops, K, R, mode, classes
        self.col = mode in ("col", "colpart", "tile")
        self.paired = block_of(loops, mode, R, classes) == 2 and mode == "part"
        # mode "part": those of the item, in the kept element and in all
        self.chunks: list[tuple[ir.Value, ir.Value]] = []
        self.module = ir.Module("k")
        fn = ir.Function(self.module, I64, [PTR, PTR, I64, I64], "k")
        self.fn = fn
        self.entry = fn.append_basic_block("entry")
        self.b = ir.IRBuilder(fn, self.entry)
        self.dtypes = [by_name[o.dtype] for o in loops.operands]
        self.outer: dict[int, Value] = {}  # values of S and K nodes, valid from here on in the item
        self.k_lanes = LANES if self.col else 0
        self.build()

    # -- small things ------------------------------------------------------------------------------------------------
    def var(self, t: ir.Type, init: ir.Value | None = None) -> ir.Value:
        """A mutable variable (an alloca in the entry block)."""
        v = self.b.alloca(t)
        if init is not None:
            self.b.store(init, v)
        return v

    def array(self, t: ir.Type, n: int) -> ir.Value:
        return self.b.alloca(ir.array(t, n))

    def at(self, p: ir.Value, t: ir.Type, i: ir.Value) -> ir.Value:
        return self.b.gep(p, [i], source_etype=t)

    def moved(self, p: ir.Value, *offsets: ir.Value) -> ir.Value:
        """p plus byte offsets."""
        for o in offsets:
            p = self.b.gep(p, [o], source_etype=I8)
        return p

    @contextmanager
    def loop(self, start: ir.Value, stop: ir.Value, step: int) -> Iterator[ir.Value]:
        b = self.b
        before = b.block
        head, body, done = (b.append_basic_block(n) for n in ("head", "body", "done"))
        b.branch(head)
        b.position_at_end(head)
        i = b.phi(I64)
        i.add_incoming(start, before)
        b.cbranch(b.icmp_signed("<", i, stop), body, done)
        b.position_at_end(body)
        yield i
        i.add_incoming(b.add(i, I64(step)), b.block)
        b.branch(head)
        b.position_at_end(done)

    @contextmanager
    def while_(self, condition: Callable[[], ir.Value]) -> Iterator[None]:
        b = self.b
        head, body, done = (b.append_basic_block(n) for n in ("head", "body", "done"))
        b.branch(head)
        b.position_at_end(head)
        b.cbranch(condition(), body, done)
        b.position_at_end(body)
        yield
        b.branch(head)
        b.position_at_end(done)

    def least(self, x: ir.Value, y: ir.Value) -> ir.Value:
        return self.b.select(self.b.icmp_signed("<", x, y), x, y)

    def param(self, k: int, t: ir.Type = I64) -> ir.Value:
        return self.b.load(self.at(self.params, I64, I64(k)), typ=t)

    def stride(self, i: int, d: int, k: int) -> ir.Value:
        """Operand i's stride along dim d, in bytes: parameter k, unless its class says what it is."""
        c = self.classes[i]
        if d == (self.K if self.col else self.K + self.R) - 1 and c in "cb" or c == "t" and d == self.K - 2:
            return I64(0 if c == "b" else self.dtypes[i].itemsize)
        return self.param(k)

    # -- the frame ---------------------------------------------------------------------------------------------------
    def build(self) -> None:
        b, loops, K, R = self.b, self.loops, self.K, self.R
        ptrs, self.params, begin, end = self.fn.args
        start = self.fn.append_basic_block("start")
        b.position_at_end(start)
        n = len(loops.operands)
        extra = 1 if self.mode in ("part", "colpart", "final") else 0
        pointers = [b.load(self.at(ptrs, PTR, I64(i)), typ=PTR) for i in range(n + extra + 1)]
        self.pointers, self.err = pointers[:n], pointers[-1]
        self.workspace = pointers[n] if extra else ir.NULL
        self.kept = [self.param(d) for d in range(K)]
        self.reduced = [self.param(K + d) for d in range(R)]
        base = K + R
        self.strides = [[self.stride(i, d, base + i * (K + R) + d) for d in range(K + R)] for i in range(n)]
        self.n_reduced: ir.Value = I64(1)
        for s in self.reduced:
            self.n_reduced = b.mul(self.n_reduced, s)
        self.load_scalars(base + n * (K + R))
        self.nodes = loops.live()
        for node in self.nodes:
            if node.level == "S" and node.op != "scalar":
                self.outer[node.id] = self.compute(node, self.outer, 0, None)
        self.items(begin, end)
        b.ret(I64(0))
        with b.goto_block(self.entry):
            b.branch(start)

    def load_scalars(self, k: int) -> None:
        values = []
        for name in self.loops.scalars:
            d = by_name[name]
            parts = []
            for t in scalar.compute_types(d):
                if t == I1:
                    parts.append(self.b.icmp_unsigned("!=", self.param(k), I64(0)))
                else:
                    parts.append(self.param(k, t))
                k += 1
            values.append(parts)
        self.scalars = values
        for node in self.loops.nodes:
            if node.op == "scalar":
                self.outer[node.id] = values[node.param]

    def scalar_value(self, k: int) -> ir.Value:
        """The kernel's k-th scalar, an integer."""
        return self.scalars[k][0]

    def items(self, begin: ir.Value, end: ir.Value) -> None:
        b, K = self.b, self.K
        if self.mode in ("part", "colpart"):
            self.n_chunks = b.sdiv(b.add(self.n_reduced, I64(CHUNK - 1)), I64(CHUNK))
        if self.mode == "tile":
            tiles.emit(self, begin, end)
        elif self.mode == "colpart":
            block = I64(block_of(self.loops, self.mode))
            inner = self.kept[K - 1]
            n_blocks = b.sdiv(b.add(inner, b.sub(block, I64(1))), block)
            with self.loop(begin, end, 1) as item:
                self.chunk, place = b.srem(item, self.n_chunks), b.sdiv(item, self.n_chunks)
                first = b.mul(b.srem(place, n_blocks), block)
                self.item_number = b.sdiv(place, n_blocks)
                self.index = [*self.decode(self.item_number, self.kept[: K - 1]), first]
                self.item(first, self.least(inner, b.add(first, block)))
        elif self.col and not self.R and K == 1:  # the items are one range
            block = I64(block_of(self.loops, self.mode))
            first = b.mul(begin, block)
            self.index = [first]
            self.item(first, self.least(self.kept[0], b.mul(end, block)))
        elif self.col:
            block = I64(block_of(self.loops, self.mode))
            inner = self.kept[K - 1]
            n_blocks = b.sdiv(b.add(inner, b.sub(block, I64(1))), block)
            # Counted on from item to item: a division for each dim is as much as a short row.
            at = [*self.decode(b.sdiv(begin, n_blocks), self.kept[: K - 1]), b.srem(begin, n_blocks)]
            places = [self.var(I64, x) for x in at]
            with self.loop(begin, end, 1):
                index = [b.load(v, typ=I64) for v in places]
                carry: ir.Value | None = None
                for v, i, n in zip(places[::-1], index[::-1], [n_blocks, *self.kept[: K - 1][::-1]], strict=True):
                    nxt = b.add(i, I64(1))
                    full = b.icmp_signed("==", nxt, n)
                    stepped = b.select(full, I64(0), nxt)
                    b.store(stepped if carry is None else b.select(carry, stepped, i), v)
                    carry = full if carry is None else b.and_(carry, full)
                first = b.mul(index[-1], block)
                stop = self.least(inner, b.add(first, block))
                self.index = [*index[:-1], first]
                self.item(first, stop)
        elif self.mode == "part":
            self.chunk_items(begin, end)
        else:
            with self.loop(begin, end, 1) as item:
                self.index, self.item_number = self.decode(item, self.kept), item
                self.item(I64(0), I64(1))

    def chunk_items(self, begin: ir.Value, end: ir.Value) -> None:
        """Chunks, or where the variant is paired and they are many a chunk of the first half and its like of the
        second.
        """
        b, chunks = self.b, self.n_chunks
        step = (
            b.select(b.icmp_signed(">=", chunks, I64(PAIRED_FROM)), b.sdiv(b.add(chunks, I64(1)), I64(2)), chunks)
            if self.paired
            else chunks
        )
        with self.loop(begin, end, 1) as item:
            kept, first = b.sdiv(item, step), b.srem(item, step)
            self.index = self.decode(kept, self.kept)
            before = b.mul(kept, chunks)  # chunks of the kept elements before this one
            if not self.paired:
                self.chunks = [(first, b.add(before, first))]
                self.item(I64(0), I64(1))
                return
            second = b.add(first, step)
            whole = b.icmp_signed("<=", b.mul(b.add(second, I64(1)), I64(CHUNK)), self.n_reduced)
            with b.if_then(whole):
                self.chunks = [(c, b.add(before, c)) for c in (first, second)]
                self.item(I64(0), I64(1))
            apart = b.select(b.icmp_signed("<", second, chunks), I64(2), I64(1))
            with self.loop(I64(0), b.select(whole, I64(0), apart), 1) as k:
                chunk = b.add(first, b.mul(k, step))
                self.chunks = [(chunk, b.add(before, chunk))]
                self.item(I64(0), I64(1))

    def decode(self, row: ir.Value, sizes: list[ir.Value]) -> list[ir.Value]:
        """Row-major indices of `row`."""
        out: list[ir.Value] = []
        for size in sizes[:0:-1]:
            out.insert(0, self.b.srem(row, size))
            row = self.b.sdiv(row, size)
        return [row, *out] if sizes else []

    def item(self, first: ir.Value, stop: ir.Value) -> None:
        b = self.b
        saved = dict(self.outer)
        self.base = []
        for i, p in enumerate(self.pointers):
            self.base.append(self.moved(p, *(b.mul(x, s) for x, s in zip(self.index, self.strides[i], strict=False))))
        self.first, self.stop = first, stop
        if self.col and not self.R:
            stores = list(self.loops.stores)
            self.sweep_vectors(stores, [], I64(0), b.sub(stop, first), [s[self.K - 1] for s in self.strides])
            self.outer = saved
            return
        if self.col and self.loops.wide:
            columns.WideColumns(self).emit()
            self.outer = saved
            return
        if self.col and self.loops.in_sequence:
            self.windows()
            self.outer = saved
            return
        if self.col:
            rem = b.sub(stop, first)
            self.columns = memory.Axis(self, rem, LANES)
        for reduces, stores in self.loops.stages():
            if self.mode == "final":
                sweeps.combine_partials(self, reduces)
                continue
            sequential = any(s.mode in SEQUENTIAL for s in stores)
            if self.col or sequential:
                if sequential and reduces:
                    raise AssertionError("a scan and a reduction cannot share a sweep")
                if (
                    not self.col
                    and self.R == 2
                    and stores[0].mode == "band"
                    and [n.param for n in stores[0].index[-2:]] == [("r", 0), ("r", 1)]
                ):
                    self.sweep_steps(stores[0])
                else:
                    self.sweep_elements(stores, reduces)
            else:
                start, end = I64(0), self.n_reduced
                if self.mode == "part":
                    start = b.mul(self.chunks[0][0], I64(CHUNK))
                    end = self.least(end, b.add(start, I64(CHUNK)))
                self.sweep_vectors(stores, reduces, start, end, [s[-1] for s in self.strides])
        if self.mode != "part":
            for store in self.loops.stores:
                if store.level == "K":
                    self.store_kept(store)
        self.outer = saved

    def windows(self) -> None:
        """An item whose reductions are those of windows: vector after vector of columns."""
        b, base, index, outer = self.b, self.base, self.index, dict(self.outer)
        columns = b.sub(self.stop, self.first)

        def vector(v: ir.Value, path: str) -> None:
            self.base = [self.moved(p, b.mul(v, s[self.K - 1])) for p, s in zip(base, self.strides, strict=True)]
            self.index, self.outer = [*index[:-1], b.add(index[-1], v)], dict(outer)
            self.columns = memory.Axis(self, b.sub(columns, v), LANES, path=path)
            for reduces, stores in self.loops.stages():
                if stores:
                    raise AssertionError("a sweep over windows stores nothing but what it has reduced")
                nodes = self.sweep_nodes([r.args[0] for r in reduces])
                sweeps.window_reduce(self, reduces, nodes)
            for store in self.loops.stores:
                self.store_kept(store)

        whole = b.and_(columns, I64(-LANES))
        with self.loop(I64(0), whole, LANES) as v:
            vector(v, "whole")
        with b.if_then(b.icmp_signed("<", whole, columns)):
            vector(whole, "masked" if machine.masks() else "either")

    # -- values ------------------------------------------------------------------------------------------------------
    def compute(self, node: Node, values: dict[int, Value], lanes: int, axis: memory.Axis | None) -> Value:
        """Emit a node that is neither a load nor an index; `axis` says which lanes exist."""
        if node.op == "const":
            return scalar.constant(by_name[node.dtype], node.param, lanes)
        args = [[splat(self.b, x, lanes) for x in values[a.id]] for a in node.args]
        dst = by_name[node.dtype]
        if node.op == "random_bits":
            return sweeps.random_bits(self.b, args, node, lanes)
        data = by_name[(node.args[1] if node.op == "select" else node.args[0]).dtype]
        if node.op in functions.CALLED and data.kind == "f":
            return scalar.round_half(self.b, [functions.call(self.b, node.op, [a[0] for a in args], node.param)], dst)
        if node.op in DIVISIONS and data.kind in "ui":
            memory.check_divisor(self, args[1][0], axis)
        return scalar.pointwise(self.b, node.op, args, data, dst)

    def kept_value(self, node: Node) -> Value:
        """The value of an S or K node at the current kept index (emitted in the item's straight line, once)."""
        if node.id not in self.outer:
            for a in node.args:
                self.kept_value(a)
            self.outer[node.id] = self.kept_node(node)
        return self.outer[node.id]

    def kept_node(self, n: Node) -> Value:
        if n.op == "load":
            if self.col:
                return self.columns.load(self.base[n.param], n.param)
            return memory.load_scalar(self.b, self.base[n.param], self.dtypes[n.param])
        if n.op == "index":
            d = n.param[1]
            return [
                self.columns.iota(self.index[d])
                if self.col and d == self.K - 1
                else splat(self.b, self.index[d], self.k_lanes)
            ]
        if n.op == "gather":
            axis = self.columns if self.col else None
            return memory.gather(self, n, self.base[n.param[0]], [self.outer[a.id] for a in n.args], axis)
        if n.op == "reduce":
            raise AssertionError("a reduction is used before its sweep")
        return self.compute(n, self.outer, self.k_lanes, self.columns if self.col else None)

    def store_kept(self, store: Store) -> None:
        value = self.kept_value(store.value)
        if self.col:
            value = [splat(self.b, x, LANES) for x in value]
            self.columns.store(value, self.base[store.operand], store.operand)
        else:
            memory.store_scalar(self.b, value, self.base[store.operand], self.dtypes[store.operand])

    def sweep_nodes(self, roots: list[Node]) -> list[Node]:
        """The F nodes that a sweep must emit, in order; emits the S and K values they need first."""
        found: dict[int, Node] = {}
        work = list(roots)
        outer = []
        while work:
            n = work.pop()
            if n.id in found:
                continue
            if n.level != "F":
                outer.append(n)
                continue
            found[n.id] = n
            work.extend(n.args)
        for n in sorted(outer, key=lambda n: n.id):
            self.kept_value(n)
        return [found[k] for k in sorted(found)]

    def emit_sweep(
        self, nodes: list[Node], values: dict[int, Value], lanes: int, axis: memory.Axis | None, pointer: Any
    ) -> dict[int, Value]:
        """Emit F nodes whose loads and indices are in `values` already; `pointer(k)` addresses operand k for
        gathers.
        """
        env = {**self.outer, **values}
        for n in nodes:
            if n.id in values:
                continue
            if n.op == "gather" and axis is not None and all(self.uniform(a) for a in n.args):
                p = memory.gather_place(self, n, pointer(n.param[0]), [env[a.id][0] for a in n.args])
                env[n.id] = axis.load(p, n.param[0])
            elif n.op == "gather":
                env[n.id] = memory.gather(
                    self, n, pointer(n.param[0]), [[splat(self.b, x, lanes) for x in env[a.id]] for a in n.args], axis
                )
            else:
                env[n.id] = self.compute(n, env, lanes, axis)
        return env

    def one_lane(self, v: Value) -> Value:
        return [self.b.extract_element(x, I32(0)) if scalar.lanes_of(x) else x for x in v]

    def uniform(self, n: Node) -> bool:
        """Whether the value is the same in all lanes of a vector of columns or of a row."""
        if n.level == "K":
            if not self.col or n.op == "index":
                return not self.col or n.param[1] != self.K - 1
            if n.op == "load":
                return self.classes[n.param] == "b"
            return n.op not in ("gather", "random_bits", "reduce") and all(self.uniform(a) for a in n.args)
        if n.op == "load":
            return self.classes[n.param] == "b" and (self.R < 2 or self.col)
        if n.op == "place":
            return self.classes[n.param] == "b"
        if n.op == "index":
            kind, d = n.param
            return kind == "k" and d != self.K - 1 if not self.R else kind == "r" and self.col
        return n.op not in ("gather", "random_bits") and (n.level == "S" or all(self.uniform(a) for a in n.args))

    # -- sweeps ------------------------------------------------------------------------------------------------------
    def sweep_vectors(
        self, stores: list[Store], reduces: list[Node], start: ir.Value, end: ir.Value, inner: list[ir.Value]
    ) -> None:
        """Visit [start, end) of the linear index of the vector axis, LANES at a time."""
        b = self.b
        nodes = self.sweep_nodes(
            [s.value for s in stores] + [i for s in stores for i in s.index] + [r.args[0] for r in reduces]
        )
        roots = {r.id: r.args[0] for r in reduces}
        for root in roots.values():
            if root.level != "F":
                self.kept_value(root)
        walker: Any
        if self.R >= 2:
            walker = odometer.Odometer(self, nodes, stores, start if self.mode == "part" else None)
        else:
            walker = memory.Line(self, nodes, stores, inner)

        def body(i: ir.Value, stop: ir.Value, accumulate: Any, *path: str) -> None:
            axis, values = walker.open(i, b.sub(stop, i), *path)
            env = self.emit_sweep(nodes, values, LANES, axis, walker.pointer)
            if accumulate is not None:
                accumulate(i, axis, env)
            walker.close(axis, [[splat(b, x, LANES) for x in env[s.value.id]] for s in stores])

        # Several dims: whole vectors of a row in a loop of their own, if the sweep is small enough to be emitted twice.
        tight = self.R >= 2 and len(nodes) <= TIGHT
        # One dim: several whole vectors at a time, instruction by instruction, if the sweep is small. Vector after
        # vector, the dependent instructions of an exponential fill the processor's queue before the next one's can
        # start.
        small = self.R < 2 and sum(1 if n.op in CHEAP else 4 for n in nodes) <= GROUPED
        divides = any(n.op in DIVISIONS and by_name[n.dtype].kind in "ui" for n in nodes)
        lanes = LANES * (walker.group(nodes) if small and not divides else 1)

        def group(i: ir.Value, accumulate: Any, ahead: bool = True) -> None:
            if accumulate is not None and ahead:
                walker.prefetch(i, lanes)
            env = self.emit_sweep(nodes, walker.open_group(i, lanes), lanes, None, walker.pointer)
            if accumulate is not None:
                accumulate(i, None, {**env, **{r.id: [splat(b, x, lanes) for x in env[r.id]] for r in roots.values()}})
            walker.close_group([[splat(b, x, lanes) for x in env[s.value.id]] for s in stores])

        def sweep(lo: ir.Value, hi: ir.Value, accumulate: Any) -> None:
            if not tight:
                if lanes > LANES:
                    middle = b.add(lo, b.and_(b.sub(hi, lo), I64(-lanes)))
                    with self.loop(lo, middle, lanes) as i:
                        group(i, accumulate)
                    lo = middle
                # Behind groups it is short: where masks cost nothing, there is no path for whole vectors.
                path = ["masked"] if lanes > LANES and machine.masks() else []
                with self.loop(lo, hi, LANES) as i:
                    body(i, hi, accumulate, *path)
                return

            def vector(k: ir.Value, axis: memory.Axis, values: dict[int, Value], pointers: dict[int, ir.Value]) -> None:
                env = self.emit_sweep(nodes, values, LANES, axis, pointers.__getitem__)
                if accumulate is not None:
                    accumulate(b.add(b.load(at, typ=I64), k), axis, env)
                for s in stores:
                    axis.store([splat(b, x, LANES) for x in env[s.value.id]], pointers[s.operand], s.operand)

            at = self.var(I64, lo)
            with self.while_(lambda: b.icmp_signed("<", b.load(at, typ=I64), hi)):
                done = walker.run(b.sub(hi, b.load(at, typ=I64)), vector)
                i = b.add(b.load(at, typ=I64), done)
                with b.if_then(b.icmp_signed("<", i, hi)):
                    body(i, hi, accumulate)
                b.store(b.add(i, I64(LANES)), at)

        if len(self.chunks) == 2:
            sweeps.pair_reduce(self, reduces, lanes, group)
        elif reduces:
            sweeps.row_reduce(self, reduces, start, end, sweep)
        else:
            sweep(start, end, None)

    def sweep_steps(self, store: Store) -> None:
        """A recurrence over steps: within one, places do not depend on one another, and are visited LANES at a time."""
        b, K = self.b, self.K
        nodes = self.sweep_nodes([store.value, *store.index])
        used = sorted(
            {n.param if n.op == "load" else n.param[0] for n in nodes if n.op in ("load", "gather")} | {store.operand}
        )
        with self.loop(I64(0), self.reduced[0], 1) as step:
            rows = {k: self.moved(self.base[k], b.mul(step, self.strides[k][K])) for k in used}
            with self.loop(I64(0), self.reduced[1], LANES) as place:
                axis = memory.Axis(self, b.sub(self.reduced[1], place), LANES)
                _ = axis.mask  # here, where it dominates every use
                pointers = {k: self.moved(p, b.mul(place, self.strides[k][K + 1])) for k, p in rows.items()}
                values = axis.load_many([(n.id, pointers[n.param], n.param) for n in nodes if n.op == "load"])
                at = {0: step, 1: axis.iota(place)}
                values.update({n.id: [splat(b, at[n.param[1]], LANES)] for n in nodes if n.op == "index"})
                env = self.emit_sweep(nodes, values, LANES, axis, pointers.__getitem__)
                value, *bands = ([splat(b, x, LANES) for x in env[n.id]] for n in (store.value, *store.index[:-2]))
                sweeps.band_row(self, store, value, bands, [at[0], at[1]], rows[store.operand], axis)

    def sweep_elements(self, stores: list[Store], reduces: list[Node]) -> None:
        """Visit the reduced elements one at a time, in row-major order; the vector axis (if any) is the columns."""
        b = self.b
        lanes = LANES if self.col else 0
        nodes = self.sweep_nodes(
            [s.value for s in stores] + [i for s in stores for i in s.index] + [r.args[0] for r in reduces]
        )
        for r in reduces:
            if r.args[0].level != "F":
                self.kept_value(r.args[0])
        used = sorted(
            {n.param if n.op == "load" else n.param[0] for n in nodes if n.op in ("load", "gather")}
            | {s.operand for s in stores}
        )
        place = {k: self.var(PTR, self.base[k]) for k in used}
        odometer = [self.var(I64, I64(0)) for _ in range(self.R)]
        scans = {id(s): sweeps.Scan(self, s, lanes) for s in stores if s.mode == "scan"}

        def body(i: ir.Value, accumulate: Any) -> None:
            pointers = {k: b.load(p, typ=PTR) for k, p in place.items()}
            values: dict[int, Value] = {}
            loads = [n for n in nodes if n.op == "load"]
            if self.col:
                values.update(self.columns.load_many([(n.id, pointers[n.param], n.param) for n in loads]))
            else:
                values.update({n.id: memory.load_scalar(b, pointers[n.param], self.dtypes[n.param]) for n in loads})
            for n in nodes:
                if n.op == "index":
                    values[n.id] = [splat(b, b.load(odometer[n.param[1]], typ=I64), lanes)]
            env = self.emit_sweep(nodes, values, lanes, self.columns if self.col else None, pointers.__getitem__)
            if accumulate is not None:
                accumulate(i, env)
            for s in stores:
                value = [splat(b, x, lanes) for x in env[s.value.id]]
                p = pointers[s.operand]
                if s.mode == "scan":
                    scans[id(s)].step(i, value, p, [[splat(b, v, lanes) for v in env[x.id]] for x in s.index])
                elif s.mode == "band":
                    *bands, step, column = [env[x.id] for x in s.index]
                    coefficients = [[splat(b, v, lanes) for v in x] for x in bands]
                    sweeps.band_step(
                        self, s, value, coefficients, [self.one_lane(step)[0], self.one_lane(column)[0]], p, lanes
                    )
                elif s.mode == "scatter":
                    sweeps.scatter_step(
                        self,
                        s,
                        value,
                        [self.one_lane(env[x.id]) if self.uniform(x) else env[x.id] for x in s.index],
                        p,
                        lanes,
                    )
                elif self.col:
                    self.columns.store(value, p, s.operand)
                else:
                    memory.store_scalar(b, value, p, self.dtypes[s.operand])
            self.advance(place, odometer)

        if reduces:
            sweeps.column_reduce(self, reduces, body)
        else:
            with self.loop(I64(0), self.n_reduced, 1) as i:
                body(i, None)

    def advance(self, place: dict[int, ir.Value], odometer: list[ir.Value]) -> None:
        """Step the reduced index by one and the pointers with it."""
        self.advance_dim(self.R - 1, place, odometer)

    def advance_dim(self, d: int, place: dict[int, ir.Value], odometer: list[ir.Value]) -> None:
        b, K = self.b, self.K
        x = b.add(b.load(odometer[d], typ=I64), I64(1))
        for k, p in place.items():
            b.store(self.moved(b.load(p, typ=PTR), self.strides[k][K + d]), p)
        b.store(x, odometer[d])
        if d == 0:
            return
        with b.if_then(b.icmp_signed("==", x, self.reduced[d])):
            b.store(I64(0), odometer[d])
            for k, p in place.items():
                b.store(self.moved(b.load(p, typ=PTR), b.neg(b.mul(self.strides[k][K + d], self.reduced[d]))), p)
            self.advance_dim(d - 1, place, odometer)

    def memory_types(self, types: list[ir.Type]) -> list[ir.Type]:
        """The types in which a state waits in memory: i1 becomes i8."""
        return [I8 if t == I1 else t for t in types]

    def put(self, v: ir.Value, p: ir.Value) -> None:
        lanes = scalar.lanes_of(v)
        if scalar.element(v.type) == I1:
            v = self.b.zext(v, shaped(I8, lanes))
        self.b.store(v, p)

    def get(self, p: ir.Value, t: ir.Type, lanes: int) -> ir.Value:
        """Load a value of element type t (I1 waits as I8)."""
        if t == I1:
            return self.b.icmp_unsigned("!=", self.b.load(p, typ=shaped(I8, lanes)), const(I8, 0, lanes))
        return self.b.load(p, typ=shaped(t, lanes))


def generate(loops: Loops, K: int, R: int, mode: str, classes: str) -> ir.Module:
    """The LLVM module of one variant.

    Raises:
        ValueError: the ranks, mode or classes do not fit the kernel.
    """
    if mode not in ("col", "row", "part", "colpart", "final", "tile"):
        raise ValueError(f"kernel: expected mode col, row, part, colpart, final or tile, got {mode!r}")
    if len(classes) != len(loops.operands) or set(classes) - set("cbst" if mode == "tile" else "cbs"):
        raise ValueError(f"kernel: expected {len(loops.operands)} operand classes among c, b and s, got {classes!r}")
    if mode == "tile" and (loops.reduced or K < 2 or not loops.coalesce):
        raise ValueError("kernel: it has no tiles")
    if K < 1 or (R > 0) != (loops.reduced > 0) or not loops.coalesce and (max(loops.kept, 1), loops.reduced) != (K, R):
        raise ValueError(
            f"kernel: {K} kept and {R} reduced dims do not fit a kernel of {loops.kept} and {loops.reduced}"
        )
    if mode in ("part", "final") and not loops.splittable or mode == "colpart" and not loops.wide:
        raise ValueError("kernel: it cannot be split")
    made = Generator(loops, K, R, mode, classes)
    module = made.module
    vars(made).clear()  # it is in cycles: what it holds goes at once, not when the garbage collector comes
    return module
