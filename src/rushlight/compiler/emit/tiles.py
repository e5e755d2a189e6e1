"""Pointwise kernels some of whose operands lie transposed: tiles of LANES x LANES elements, turned in registers.

The vector axis is the innermost kept dim, as in "col"; an operand of class "t" is contiguous along the second innermost
instead. It is read (or written) as LANES vectors along that dim, which are transposed into a small buffer of rows.
"""

from __future__ import annotations

from rushlight.compiler.emit import memory
from rushlight.compiler.emit.item import Item
from rushlight.compiler.emit.scalar import Value
from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.ir import I64
from rushlight.compiler.llvm.lanes import splat
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
                    target, memory.transposed_squares(b, [b.load(p, typ=t, align=align) for p in source]), strict=True
                ):
                    b.store(v, p, align=align)
            with slow, f.loop(I64(0), n_columns, 1) as j, f.loop(I64(0), n_rows, 1) as r:
                outside = f.moved(base, b.mul(r, down), b.mul(j, along))
                inside = f.moved(self.row(k, r), b.mul(j, I64(d.itemsize)))
                memory.copy_element(b, inside if write else outside, outside if write else inside, d)
