"""The kernel that packs a panel of an operand: for each k the elements of a few rows (or columns) side by side.

What lies side by side already is copied; what is contiguous along k is transposed in registers, a square of lanes at a
time; anything else goes element by element. Half types become float32 on
the way, or float32 a half type and int32 int8 where a product is written.

It takes the address of the numbers of `core/native/product.h` (`rl_panel`): addresses, strides in bytes, sizes.
"""

from __future__ import annotations

from collections.abc import Callable

from rushlight.compiler.emit.memory import masked_load, masked_store
from rushlight.compiler.emit.scalar import from_memory, memory_type, to_memory
from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.control import Turns
from rushlight.compiler.llvm.ir import I32, I64, PTR, VOID
from rushlight.compiler.products.shapes import Pack
from rushlight.compiler.products.tile import HASWELL, field
from rushlight.core.dtypes import by_name

FROM, ACROSS, ALONG_K, COUNT, K, TO, STEP = range(7)  # the fields of rl_panel


def module(pack: Pack) -> ir.Module:
    """The kernel `k` that packs."""
    made = ir.Module(f"pack {pack}")
    made.attributes = "" if pack.masks else HASWELL
    fn = ir.Function(made, VOID, [PTR], "k")
    _Packing(ir.IRBuilder(fn), fn.args[0], pack).write()
    return made


class _Packing:
    def __init__(self, b: ir.IRBuilder, args: ir.Value, pack: Pack) -> None:
        self.b, self.pack, self.n = b, pack, pack.lanes
        self.from_, self.to_ = by_name[pack.source], by_name[pack.target]
        self.stored, self.packed = memory_type(self.from_), memory_type(self.to_)
        self.size, self.packed_size = self.stored.width // 8, self.packed.width // 8
        self.source, self.to = field(b, args, FROM, PTR), field(b, args, TO, PTR)
        self.across, self.along_k, self.count, self.k, self.step = (
            field(b, args, i) for i in (ACROSS, ALONG_K, COUNT, K, STEP)
        )
        self.places = ir.lanes(I64, tuple(range(self.n)))

    def write(self) -> None:
        """A loop over groups of lanes for each way that the operand may lie."""
        b, size = self.b, I64(self.size)
        ways = (
            (b.icmp_signed("==", self.across, size), self.side_by_side),
            (b.icmp_signed("==", self.along_k, size), self.transposed),
        )
        for holds, way in ways:
            with b.if_then(holds):
                self.over(self.count, self.n, way)
                b.ret_void()
        self.over(self.count, 1, self.single)
        b.ret_void()

    def over(self, end: ir.Value, step: int, body: Callable[[ir.Value], None]) -> None:
        """body(i) for i = 0, step, ... below end, which is at least 1."""
        b = self.b
        turns = Turns(b, I64(0))
        body(turns.carried[0])
        following = b.add(turns.carried[0], I64(step))
        turns.close(b.icmp_signed("<", following, end), following)

    def below(self, n: ir.Value) -> ir.Value:
        """The mask of the lanes whose number is below n."""
        b = self.b
        if self.pack.masks:
            return b.icmp_signed("<", self.places, b.broadcast(n, self.n))
        return b.icmp_signed("<", ir.lanes(I32, tuple(range(self.n))), b.broadcast(b.trunc(n, I32), self.n))

    def read(self, p: ir.Value, mask: ir.Value) -> ir.Value:
        """The lanes of the mask at p, as they are packed."""
        t = ir.vector(self.stored, self.n)
        return self.converted(masked_load(self.b, t, p, self.size, mask, ir.constant(t, 0)))

    def converted(self, x: ir.Value) -> ir.Value:
        """An element, or a vector of them, in the packed type."""
        if self.from_ is self.to_:
            return x
        if self.pack.hardware:
            n = x.type.count
            half = self.b.fptrunc(x, ir.vector(ir.BF16, n) if n else ir.BF16)
            return self.b.bitcast(half, ir.vector(ir.I16, n) if n else ir.I16)
        if self.from_.kind == "i":
            return self.b.trunc(x, ir.vector(self.packed, x.type.count) if x.type.count else self.packed)
        return to_memory(self.b, from_memory(self.b, x, self.from_), self.to_)

    def moved(self, p: ir.Value, *by: ir.Value) -> ir.Value:
        for n in by:
            p = self.b.gep(p, [n], source_etype=ir.I8)
        return p

    def side_by_side(self, group: ir.Value) -> None:
        """Lanes from `group` on of each k: one vector."""
        b = self.b
        mask = self.below(b.sub(self.count, group))
        source = self.moved(self.source, b.mul(group, I64(self.size)))
        to = self.moved(self.to, b.mul(group, I64(self.packed_size)))

        def copy(k: ir.Value) -> None:
            p = self.moved(source, b.mul(k, self.along_k))
            # The next panel, which is in the same pages: what no prefetcher of the processor sees.
            b.intrinsic("prefetch.p0", VOID, [self.moved(p, I64(2 * self.n * self.size)), I32(0), I32(2), I32(1)])
            x = self.read(p, mask)
            masked_store(b, x, self.moved(to, b.mul(k, self.step)), self.packed_size, mask)

        self.over(self.k, 1, copy)

    def transposed(self, group: ir.Value) -> None:
        """The same, of rows that lie along k: squares of lanes, turned."""
        b, n = self.b, self.n
        last = b.sub(self.count, I64(1))
        mask = self.below(b.sub(self.count, group))
        rows = []
        for i in range(n):  # rows that do not exist are others again
            row = b.add(group, I64(i))
            row = b.select(b.icmp_signed("<", row, last), row, last)
            rows.append(self.moved(self.source, b.mul(row, self.across)))
        to = self.moved(self.to, b.mul(group, I64(self.packed_size)))

        def square(k: ir.Value) -> None:
            left = b.sub(self.k, k)
            there = self.below(left)
            at = b.mul(k, I64(self.size))
            columns = _turned(b, [self.read(self.moved(p, at), there) for p in rows])
            start = self.moved(to, b.mul(k, self.step))
            for j, x in enumerate(columns):
                exists = b.broadcast(b.icmp_signed("<", I64(j), left), n)
                masked_store(b, x, self.moved(start, b.mul(self.step, I64(j))), self.packed_size, b.and_(mask, exists))

        self.over(self.k, n, square)

    def single(self, i: ir.Value) -> None:
        """One lane, element by element."""
        b = self.b
        source = self.moved(self.source, b.mul(i, self.across))
        to = self.moved(self.to, b.mul(i, I64(self.packed_size)))

        def copy(k: ir.Value) -> None:
            x = b.load(self.moved(source, b.mul(k, self.along_k)), typ=self.stored, align=self.size)
            b.store(self.converted(x), self.moved(to, b.mul(k, self.step)), align=self.packed_size)

        self.over(self.k, 1, copy)


def _turned(b: ir.IRBuilder, rows: list[ir.Value]) -> list[ir.Value]:
    """The columns of a square of vectors, by log2(n) rounds that exchange blocks of halving size."""
    n = len(rows)
    half = n // 2
    while half:
        out = list(rows)
        for i in range(n):
            if i & half:
                continue
            x, y = rows[i], rows[i + half]
            low = [j if not j & half else n + j - half for j in range(n)]
            high = [j + half if not j & half else n + j for j in range(n)]
            out[i], out[i + half] = b.shuffle(x, y, low), b.shuffle(x, y, high)
        rows, half = out, half // 2
    return rows
