"""Pointwise kernels some of whose operands lie transposed: tiles of LANES x LANES elements, turned in registers.

The vector axis is the innermost kept dim, as in "col"; an operand of class "t" is contiguous along the second innermost
instead. It is read (or written) as LANES vectors along that dim, which are transposed into a small buffer of rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rushlight.compiler.emit import memory
from rushlight.compiler.emit.scalar import I64, Value, splat
from rushlight.compiler.kernels.kernel import TILE_BLOCK
from rushlight.compiler.llvm import ir
from rushlight.program.loops import LANES

if TYPE_CHECKING:
    from rushlight.compiler.emit.generator import Generator


def emit(gen: Generator, begin: ir.Value, end: ir.Value) -> None:
    """The items of mode "tile": (outer row) x (block of rows) x (block of columns)."""
    b, K = gen.b, gen.K
    block = I64(TILE_BLOCK)
    rows, columns = gen.kept[K - 2], gen.kept[K - 1]
    n_i, n_j = (b.sdiv(b.add(n, I64(TILE_BLOCK - 1)), block) for n in (rows, columns))
    tiles = Tiles(gen)
    with gen.loop(begin, end, 1) as item:
        place = b.sdiv(item, n_j)
        i0, j0 = b.mul(b.srem(place, n_i), block), b.mul(b.srem(item, n_j), block)
        index = [*gen.decode(b.sdiv(place, n_i), gen.kept[: K - 2]), i0, j0]
        base = [
            gen.moved(p, *(b.mul(x, s) for x, s in zip(index, gen.strides[k], strict=True)))
            for k, p in enumerate(gen.pointers)
            if k < len(gen.loops.operands)
        ]
        n_rows, n_columns = gen.least(block, b.sub(rows, i0)), gen.least(block, b.sub(columns, j0))
        with gen.loop(I64(0), n_columns, LANES) as j, gen.loop(I64(0), n_rows, LANES) as i:
            tiles.tile(
                [
                    gen.moved(p, b.mul(i, gen.strides[k][K - 2]), b.mul(j, gen.strides[k][K - 1]))
                    for k, p in enumerate(base)
                ],
                gen.least(I64(LANES), b.sub(n_rows, i)),
                gen.least(I64(LANES), b.sub(n_columns, j)),
            )


class Tiles:
    """Emits one tile; the buffers are shared by all of them."""

    def __init__(self, gen: Generator) -> None:
        self.gen = gen
        self.stores = gen.loops.stores
        self.nodes = gen.sweep_nodes([s.value for s in self.stores])
        self.loads = [n for n in self.nodes if n.op == "load"]
        used = sorted({n.param for n in self.loads} | {s.operand for s in self.stores})
        self.turned = [k for k in used if gen.classes[k] == "t"]
        self.buffer = {k: gen.array(memory.raw_type(gen.dtypes[k]), LANES) for k in self.turned}

    def row(self, k: int, r: ir.Value) -> ir.Value:
        return self.gen.at(self.buffer[k], memory.raw_type(self.gen.dtypes[k]), r)

    def tile(self, base: list[ir.Value], n_rows: ir.Value, n_columns: ir.Value) -> None:
        gen = self.gen
        b = gen.b
        whole = b.and_(b.icmp_signed("==", n_rows, I64(LANES)), b.icmp_signed("==", n_columns, I64(LANES)))
        reads = [k for k in self.turned if any(n.param == k for n in self.loads)]
        writes = [k for k in self.turned if any(s.operand == k for s in self.stores)]
        for k in reads:
            self.move(k, base[k], whole, n_rows, n_columns, False)
        full = b.icmp_signed("==", n_columns, I64(LANES))
        with gen.loop(I64(0), n_rows, 1) as r:
            axis = memory.Axis(gen, n_columns, full=full)
            pointers = [gen.moved(p, b.mul(r, gen.strides[k][gen.K - 2])) for k, p in enumerate(base)]
            values: dict[int, Value] = axis.load_many(
                [(n.id, pointers[n.param], n.param) for n in self.loads if n.param not in self.buffer]
            )
            for n in self.nodes:
                if n.op == "place":
                    values[n.id] = [axis.place(pointers[n.param], n.param)]
            for n in self.loads:
                if n.param in self.buffer:
                    d = gen.dtypes[n.param]
                    values[n.id] = memory.unpack(b, b.load(self.row(n.param, r), typ=memory.raw_type(d)), d)
            env = gen.emit_sweep(self.nodes, values, LANES, axis, pointers.__getitem__)
            for s in self.stores:
                value = [splat(b, x, LANES) for x in env[s.value.id]]
                if s.operand in self.buffer:
                    b.store(memory.pack(b, value, gen.dtypes[s.operand]), self.row(s.operand, r))
                else:
                    axis.store(value, pointers[s.operand], s.operand)
        for k in writes:
            self.move(k, base[k], whole, n_rows, n_columns, True)

    def move(self, k: int, base: ir.Value, whole: ir.Value, n_rows: ir.Value, n_columns: ir.Value, write: bool) -> None:
        """Between operand k's memory and its buffer of rows."""
        gen = self.gen
        b, d, K = gen.b, gen.dtypes[k], gen.K
        t = ir.vector(ir.integer(8 * d.itemsize), LANES)
        down, along = gen.strides[k][K - 2], gen.strides[k][K - 1]
        align = memory.step_of(d)
        with b.if_else(whole) as (fast, slow):
            with fast:
                columns = [base]
                for _ in range(LANES - 1):
                    columns.append(gen.moved(columns[-1], along))
                rows = [self.row(k, I64(r)) for r in range(LANES)]
                source, target = (rows, columns) if write else (columns, rows)
                for p, v in zip(target, transpose(b, [b.load(p, typ=t, align=align) for p in source]), strict=True):
                    b.store(v, p, align=align)
            with slow, gen.loop(I64(0), n_columns, 1) as j, gen.loop(I64(0), n_rows, 1) as r:
                outside = gen.moved(base, b.mul(r, down), b.mul(j, along))
                inside = gen.moved(self.row(k, r), b.mul(j, I64(d.itemsize)))
                memory.copy_element(b, inside if write else outside, outside if write else inside, d)


def transpose(b: ir.IRBuilder, v: list[ir.Value]) -> list[ir.Value]:
    """LANES vectors of LANES elements, transposed: blocks of 8, 4, 2 and 1 change places in turn."""
    v = list(v)
    d = LANES
    while d > 1:
        d //= 2
        low = [LANES + j - d if j & d else j for j in range(LANES)]
        high = [LANES + j if j & d else j + d for j in range(LANES)]
        for i in range(LANES):
            if not i & d:
                x, y = v[i], v[i + d]
                v[i], v[i + d] = b.shuffle(x, y, low), b.shuffle(x, y, high)
    return v
