"""Tiles of LANES x LANES elements, turned in registers: of pointwise kernels some of whose operands lie transposed, and
of scans along rows.

The vector axis is the innermost kept dim, as in "col"; an operand of class "t" is contiguous along the second innermost
instead. It is read (or written) as LANES vectors along that dim, which are transposed into a small buffer of rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.compiler.emit import functions, memory
from rushlight.compiler.emit.item import Item
from rushlight.compiler.emit.scalar import Value, compute_types
from rushlight.compiler.emit.sequences import Scan
from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.ir import I64, PTR
from rushlight.compiler.llvm.lanes import shaped, splat, transposed_squares
from rushlight.program.loops import LANES


class Tiles:
    """Emits one tile; the buffers are shared by all of them."""

    def __init__(self, item: Item) -> None:
        self.item = item
        f = self.frame = item.frame
        self.stores = f.loops.stores
        self.nodes = item.sweep_nodes([s.value for s in self.stores])
        self.loads = [n for n in self.nodes if n.op == "load"]
        used = sorted({n.param for n in self.loads} | {s.operand for s in self.stores})
        self.turned = [k for k in used if f.classes[k] == "t"]
        self.buffer = {k: f.array(memory.raw_type(f.dtypes[k]), LANES) for k in self.turned}

    def row(self, k: int, r: ir.Value) -> ir.Value:
        return self.frame.at(self.buffer[k], memory.raw_type(self.frame.dtypes[k]), r)

    def tile(self, base: list[ir.Value], n_rows: ir.Value, n_columns: ir.Value) -> None:
        f = self.frame
        b = f.b
        whole = b.and_(b.icmp_signed("==", n_rows, I64(LANES)), b.icmp_signed("==", n_columns, I64(LANES)))
        reads = [k for k in self.turned if any(n.param == k for n in self.loads)]
        writes = [k for k in self.turned if any(s.operand == k for s in self.stores)]
        for k in reads:
            self.move(k, base[k], whole, n_rows, n_columns, False)
        full = b.icmp_signed("==", n_columns, I64(LANES))
        with f.loop(I64(0), n_rows, 1) as r:
            axis = memory.Axis(f, n_columns, full=full)
            pointers = [f.moved(p, b.mul(r, f.strides[k][f.K - 2])) for k, p in enumerate(base)]
            values: dict[int, Value] = axis.load_many(
                [(n.id, pointers[n.param], n.param) for n in self.loads if n.param not in self.buffer]
            )
            for n in self.nodes:
                if n.op == "place":
                    values[n.id] = [axis.place(pointers[n.param], n.param)]
            for n in self.loads:
                if n.param in self.buffer:
                    d = f.dtypes[n.param]
                    values[n.id] = memory.unpack(b, b.load(self.row(n.param, r), typ=memory.raw_type(d)), d)
            env = self.item.sweep(self.nodes, values, LANES, axis, pointers.__getitem__)
            for s in self.stores:
                value = [splat(b, x, LANES) for x in env[s.value.id]]
                if s.operand in self.buffer:
                    b.store(memory.pack(b, value, f.dtypes[s.operand]), self.row(s.operand, r))
                else:
                    axis.store(value, pointers[s.operand], s.operand)
        for k in writes:
            self.move(k, base[k], whole, n_rows, n_columns, True)

    def move(self, k: int, base: ir.Value, whole: ir.Value, n_rows: ir.Value, n_columns: ir.Value, write: bool) -> None:
        """Between operand k's memory and its buffer of rows."""
        f = self.frame
        b, d, K = f.b, f.dtypes[k], f.K
        t = ir.vector(ir.integer(8 * d.itemsize), LANES)
        down, along = f.strides[k][K - 2], f.strides[k][K - 1]
        align = memory.step_of(d)
        with b.if_else(whole) as (fast, slow):
            with fast:
                columns = [base]
                for _ in range(LANES - 1):
                    columns.append(f.moved(columns[-1], along))
                rows = [self.row(k, I64(r)) for r in range(LANES)]
                source, target = (rows, columns) if write else (columns, rows)
                for p, v in zip(
                    target, transposed_squares(b, [b.load(p, typ=t, align=align) for p in source]), strict=True
                ):
                    b.store(v, p, align=align)
            with slow, f.loop(I64(0), n_columns, 1) as j, f.loop(I64(0), n_rows, 1) as r:
                outside = f.moved(base, b.mul(r, down), b.mul(j, along))
                inside = f.moved(self.row(k, r), b.mul(j, I64(d.itemsize)))
                memory.copy_element(b, inside if write else outside, outside if write else inside, d)


class RowScans:
    """Scans of LANES rows side by side, one in each lane: tiles of the rows are turned before and after."""

    def __init__(self, item: Item) -> None:
        self.item = item
        f = self.frame = item.frame
        self.stores = f.loops.stores
        self.nodes = item.sweep_nodes([x for s in self.stores for x in (s.value, *s.index)])
        self.loads = [n for n in self.nodes if n.op == "load"]
        self.read = sorted({n.param for n in self.loads})
        self.places = {k: f.array(PTR, LANES) for k in {*self.read, *(s.operand for s in self.stores)}}
        self.tiles = {k: [f.array(shaped(t, LANES), LANES) for t in self.types(k)] for k in self.places}
        self.scans = [Scan(f, s, LANES) for s in self.stores]

    def types(self, k: int) -> list[ir.Type]:
        """The types of operand k's parts in tiles."""
        return self.frame.memory_types(compute_types(self.frame.dtypes[k]))

    def place(self, r: ir.Value, base: Sequence[ir.Value]) -> None:
        """Let row r of those side by side begin here."""
        f = self.frame
        for k, p in self.places.items():
            f.b.store(base[k], f.at(p, PTR, r))

    def scan(self) -> None:
        """Scan the rows that have been placed."""
        f = self.frame
        b = f.b
        for one in self.scans:
            one.begin()
        with f.loop(I64(0), f.n_reduced, LANES) as i:
            axis = memory.Axis(f, b.sub(f.n_reduced, i), LANES)
            for k in self.read:
                with f.loop(I64(0), I64(LANES), 1) as r:
                    self.put(k, r, axis.load(self.at(k, r, i), k))
                self.turn(k)
            with f.loop(I64(0), axis.rem, 1) as j:
                values = {n.id: self.get(n.param, j) for n in self.loads}
                values.update({n.id: [splat(b, b.add(i, j), LANES)] for n in self.nodes if n.op == "index"})
                env = self.item.sweep(self.nodes, values, LANES, None, self.nowhere)
                for scan, s in zip(self.scans, self.stores, strict=True):
                    value, *factors = ([splat(b, x, LANES) for x in env[n.id]] for n in (s.value, *s.index))
                    self.put(s.operand, j, scan.step(value, factors))
            for s in self.stores:
                self.turn(s.operand)
                with f.loop(I64(0), I64(LANES), 1) as r:
                    axis.store(self.get(s.operand, r), self.at(s.operand, r, i), s.operand)

    @staticmethod
    def nowhere(k: int) -> ir.Value:
        raise AssertionError("rows side by side have no one address")

    def at(self, k: int, r: ir.Value, i: ir.Value) -> ir.Value:
        """Where element i of row r of operand k is."""
        f = self.frame
        return f.moved(f.b.load(f.at(self.places[k], PTR, r), typ=PTR), f.b.mul(i, f.strides[k][f.K]))

    def put(self, k: int, r: ir.Value, v: Value) -> None:
        for tile, t, x in zip(self.tiles[k], self.types(k), v, strict=True):
            self.frame.put(splat(self.frame.b, x, LANES), self.frame.at(tile, shaped(t, LANES), r))

    def get(self, k: int, r: ir.Value) -> Value:
        f = self.frame
        return [
            f.get(f.at(tile, shaped(m, LANES), r), t, LANES)
            for tile, m, t in zip(self.tiles[k], self.types(k), compute_types(f.dtypes[k]), strict=True)
        ]

    def turn(self, k: int) -> None:
        """Let the columns of operand k's tile be its rows."""
        for tile, t in zip(self.tiles[k], self.types(k), strict=True):
            size = t.width // 8
            functions.turn(self.frame.b, size, LANES, tile, I64(LANES * size), tile, I64(LANES * size))
