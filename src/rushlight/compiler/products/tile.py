"""The kernel that computes one tile of a product, all of it in registers.

C[i, j] of a tile of `rows` x (`vectors` x `lanes`) elements is one chain of fused multiply-adds over k, whatever the
tile: a vector of B's row, which lies contiguous, times one element of A, which may lie anywhere. Rows of A are reached
by a stride, so a packed panel of A and A itself are read by the same code. There is a loop for each number of rows, and
columns past the edge are under a mask, so one kernel serves every size. With a table, row k of B lies at the table's
offset k, and its vectors lie apart: a convolution's columns are read from the image, and are whole. Turned, A's element
(i, k) lies at the table's offset k, i elements on: its rows are positions of the image, side by side.

It takes the address of the numbers of `core/native/product.h` (`rl_tile`): addresses, strides in bytes, sizes.
"""

from __future__ import annotations

from rushlight.compiler.emit.memory import masked_load, masked_store
from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.control import Turns
from rushlight.compiler.llvm.ir import F32, F64, I32, I64, PTR, VOID
from rushlight.compiler.products.shapes import Tile

# The fields of rl_tile.
A, A_ROW, A_K, B, B_K, C, C_ROW, M, N, K, ADD, FROM, FROM_ROW, APART, FURTHER, TO, TO_K, NEXT, NEXT_K, PAUSE = range(20)
# A load under a mask is also an operation of the units that multiply: of so many rows on, whole vectors are loaded by a
# loop of their own. (One for each number of rows would take 5 ms more to compile.)
FEW = 6
# A is asked for so many terms ahead: in float64 the second-level cache hands it over slower than a tile takes it.
AHEAD = 8
# While B is packed its rows are asked for: from the second-level cache, and further ahead into it. Rows may lie pages
# apart, where the first-level cache holds only a few of them and no prefetcher of the processor sees them.
NEAR, FAR = 6, 32
# What a processor without AVX-512 is compiled for, where a setting asks for it on one that has it.
HASWELL = '"target-cpu"="haswell"'


def field(b: ir.IRBuilder, args: ir.Value, k: int, t: ir.Type = I64) -> ir.Value:
    """Number k of the arguments."""
    return b.load(b.gep(args, [I64(k)], source_etype=I64), typ=t, align=8)


def module(tile: Tile) -> ir.Module:
    """The kernel `k` of a tile."""
    made = ir.Module(f"tile {tile}")
    made.attributes = "" if tile.masks else HASWELL
    fn = ir.Function(made, VOID, [PTR], "k")
    b = ir.IRBuilder(fn)
    rows = field(b, fn.args[0], M)
    _prefetch(b, fn.args[0], tile, rows)
    _choose(b, fn.args[0], tile, rows, _counts(tile))
    return made


def _prefetch(b: ir.IRBuilder, args: ir.Value, tile: Tile, rows: ir.Value) -> None:
    """Ask for the lines of C: they are wanted at the end of the loop. A row may begin in the middle of one."""
    start, step = field(b, args, C, PTR), field(b, args, C_ROW)
    width = tile.columns * (8 if tile.dtype == "float64" else 4)
    turns = Turns(b, rows, start)
    left, row = turns.carried
    one_less, below = b.sub(left, I64(1)), b.gep(row, [step], source_etype=ir.I8)
    for at in (*range(0, width, 64), width - 1):
        line = b.gep(row, [I64(at)], source_etype=ir.I8)
        b.intrinsic("prefetch.p0", VOID, [line, I32(1), I32(3), I32(1)])
    turns.close(b.icmp_signed("!=", one_less, I64(0)), one_less, below)


def _counts(tile: Tile) -> list[int]:
    """The numbers of rows that there is code for: of many rows only even ones, since each costs 3 ms to compile."""
    return [r for r in range(1, tile.rows + 1) if r <= 8 or r % 2 == 0]


def _choose(b: ir.IRBuilder, args: ir.Value, tile: Tile, rows: ir.Value, counts: list[int]) -> None:
    """Branch to the loop for the number of rows, which is one of the counts."""
    if len(counts) == 1:
        _Body(b, args, tile, counts[0]).write()
        return
    middle = len(counts) // 2
    lower, upper = b.append_basic_block("fewer"), b.append_basic_block("more")
    b.cbranch(b.icmp_signed("<", rows, I64(counts[middle])), lower, upper)
    for block, some in ((lower, counts[:middle]), (upper, counts[middle:])):
        b.position_at_end(block)
        _choose(b, args, tile, rows, some)


class _Body:
    """The code for one number of rows."""

    def __init__(self, b: ir.IRBuilder, args: ir.Value, tile: Tile, rows: int) -> None:
        self.b, self.args, self.tile, self.rows = b, args, tile, rows
        self.scalar = F64 if tile.dtype == "float64" else F32
        self.size = self.scalar.width // 8
        self.t = ir.vector(self.scalar, tile.lanes)
        self.places = ir.vector(I32 if self.size == 4 else I64, tile.lanes)

    def write(self) -> None:
        """The loop over k, and the stores."""
        b, tile = self.b, self.tile
        n = field(b, self.args, N)
        if tile.table or tile.turned:
            self.finish(self.loop(None), masked=False)
            return
        if tile.masks and self.rows < FEW:
            self.finish(self.loop(self.below(n)))
            return
        whole, part = b.append_basic_block("whole"), b.append_basic_block("part")
        b.cbranch(b.icmp_signed("==", n, I64(tile.columns)), whole, part, likely=True)
        b.position_at_end(whole)
        after, found = b.append_basic_block("stores"), []
        high = self.rows == tile.rows
        if high:
            packed, packing = b.append_basic_block("packed"), b.append_basic_block("packing")
            b.cbranch(b.icmp_signed("==", field(b, self.args, TO), I64(0)), packed, packing, likely=True)
            b.position_at_end(packing)
            found.append((self.loop(None, packs=True), b.block))
            b.branch(after)
            b.position_at_end(packed)
        found.append((self.loop(None), b.block))
        b.branch(after)
        if not tile.masks:
            b.position_at_end(after)
            self.finish(self.either(found), masked=False)
            after, found = b.append_basic_block("stores"), []
        b.position_at_end(part)
        if high:
            narrow, wide = b.append_basic_block("narrow"), b.append_basic_block("wide")
            b.cbranch(b.icmp_signed("<=", n, I64(tile.lanes)), narrow, wide)
            b.position_at_end(narrow)
            found.append((self.loop(self.below(n)[:1]), b.block))
            b.branch(after)
            b.position_at_end(wide)
        found.append((self.loop(self.below(n)), b.block))
        b.branch(after)
        b.position_at_end(after)
        self.finish(self.either(found))

    def either(self, found: list[tuple[list[list[ir.Value]], ir.Block]]) -> list[list[ir.Value]]:
        """The sums of the loop that was run."""
        phis: list[list[ir.Phi]] = [[self.b.phi(self.t) for _ in range(self.tile.vectors)] for _ in range(self.rows)]
        for sums, block in found:
            for row, made in zip(phis, sums, strict=True):
                for phi, s in zip(row, made, strict=True):
                    phi.add_incoming(s, block)
        return [list(row) for row in phis]

    def below(self, n: ir.Value) -> list[ir.Value]:
        """For each vector, lanes that are negative (without masks), or true, where the column exists."""
        b, tile, e = self.b, self.tile, self.places.element
        out = []
        for v in range(tile.vectors):
            lanes = ir.lanes(e, tuple(range(v * tile.lanes, (v + 1) * tile.lanes)))
            left = b.broadcast(n if e is I64 else b.trunc(n, I32), tile.lanes)
            out.append(b.icmp_signed("<", lanes, left) if tile.masks else b.sub(lanes, left))
        return out

    def mask(self, below: ir.Value) -> ir.Value:
        """The mask that `below` stands for."""
        return below if self.tile.masks else self.b.icmp_signed("<", below, self.places(0))

    def loop(self, below: list[ir.Value] | None, packs: bool = False) -> list[list[ir.Value]]:
        """The sums of each row, a vector after the other, over all k.

        below: what `below` says of the vectors that have columns; the others' sums are zero. None: all are whole.
        packs: B's rows are packed on the way.
        """
        b, tile, t = self.b, self.tile, self.t
        vectors = tile.vectors if below is None else len(below)
        a0, b0 = field(b, self.args, A, PTR), field(b, self.args, B, PTR)
        a_row, a_k = field(b, self.args, A_ROW), field(b, self.args, A_K)
        # What is stepped through along k: B, or the table of its rows.
        first, step = (field(b, self.args, B_K, PTR), I64(8)) if tile.table else (b0, field(b, self.args, B_K))
        k = field(b, self.args, K)
        columns, a_step = (field(b, self.args, A_K, PTR), I64(8)) if tile.turned else (a0, a_k)
        apart = [I64(v * tile.lanes * self.size) for v in range(tile.vectors)]
        if tile.table:
            apart = [b.mul(field(b, self.args, APART), I64(v)) for v in range(tile.vectors)]
        # A row is reached by one addition: x86 multiplies by 1, 2, 4 or 8 in an address, so the odd multiples suffice.
        odd = {i: b.mul(a_row, I64(i)) for i in range(1, self.rows, 2)}
        further = b.mul(a_k, b.add(I64(AHEAD), field(b, self.args, FURTHER)))
        asked = [b.mul(step, I64(rows)) for rows in (NEAR, FAR)] if packs else []
        packed, packed_k = field(b, self.args, TO, PTR), field(b, self.args, TO_K)
        asks = tile.masks and below is None and not packs and not tile.table
        next_line, next_k = field(b, self.args, NEXT, PTR), field(b, self.args, NEXT_K)
        pause = field(b, self.args, PAUSE)
        if asks:  # to ask for what has no page would take as long as to look for one
            none = b.icmp_signed("==", field(b, self.args, NEXT), I64(0))
            next_line, next_k = b.select(none, a0, next_line), b.select(none, I64(0), next_k)
        before, again, after = b.block, b.append_basic_block("k"), b.append_basic_block("sums")
        b.branch(again)
        b.position_at_end(again)
        left, pa, pb = b.phi(I64), b.phi(PTR), b.phi(PTR)
        to = b.phi(PTR) if packs else None
        later = b.phi(PTR) if asks else None
        if later is not None:
            later.add_incoming(next_line, before)
        sums = [[b.phi(t) for _ in range(vectors)] for _ in range(self.rows)]
        for phi, start in ((left, k), (pa, columns), (pb, first)):
            phi.add_incoming(start, before)
        for row in sums:
            for s in row:
                s.add_incoming(t(0.0), before)
        if to is not None:
            to.add_incoming(packed, before)
        ys = []
        pe = b.gep(b0, [b.load(pb, typ=I64, align=8)], source_etype=ir.I8) if tile.table else pb
        for v in range(vectors):
            p = b.gep(pe, [apart[v]], source_etype=ir.I8) if v else pe
            if below is None:
                ys.append(b.load(p, typ=t, align=self.size))
            else:
                ys.append(masked_load(b, t, p, self.size, self.mask(below[v]), t(0.0)))
        if tile.masks and below is None and not tile.turned:
            ahead = b.gep(pa, [further], source_etype=ir.I8)
            for at in range(0, self.rows * self.size, 64):
                line = b.gep(ahead, [I64(at)], source_etype=ir.I8)
                b.intrinsic("prefetch.p0", VOID, [line, I32(0), I32(3), I32(1)])
        if later is not None:  # a pair of lines, again and again until the next one's turn: that costs nothing
            for at in (0, 64):
                line = b.gep(later, [I64(at)], source_etype=ir.I8)
                b.intrinsic("prefetch.p0", VOID, [line, I32(0), I32(2), I32(1)])
            goes_on = b.icmp_signed("==", b.and_(left, pause), I64(0))
            later.add_incoming(b.gep(later, [b.select(goes_on, next_k, I64(0))], source_etype=ir.I8), again)
        if to is not None:
            self.pack(ys, to, pb, asked)
            to.add_incoming(b.gep(to, [packed_k], source_etype=ir.I8), again)
        pe_a = b.gep(a0, [b.load(pa, typ=I64, align=8)], source_etype=ir.I8) if tile.turned else pa
        new = []
        for i, row in enumerate(sums):
            x = b.broadcast(b.load(self.at(pe_a, i, odd), typ=self.scalar, align=self.size), tile.lanes)
            new.append([b.intrinsic(f"fma.{t.suffix}", t, [x, y, s]) for y, s in zip(ys, row, strict=True)])
        one_less = b.sub(left, I64(1))
        left.add_incoming(one_less, b.block)
        pa.add_incoming(b.gep(pa, [a_step], source_etype=ir.I8), b.block)
        pb.add_incoming(b.gep(pb, [step], source_etype=ir.I8), b.block)
        for row, made in zip(sums, new, strict=True):
            for s, x in zip(row, made, strict=True):
                s.add_incoming(x, b.block)
        b.cbranch(b.icmp_signed("!=", one_less, I64(0)), again, after)
        b.position_at_end(after)
        return [[*row, *[t(0.0)] * (tile.vectors - vectors)] for row in new]

    def pack(self, ys: list[ir.Value], to: ir.Value, pb: ir.Value, asked: list[ir.Value]) -> None:
        """Store the vectors of a row of B, and ask for those of rows ahead."""
        b, width = self.b, self.tile.lanes * self.size
        for v, y in enumerate(ys):
            b.store(y, b.gep(to, [I64(v * width)], source_etype=ir.I8), align=self.size)
        for distance, place in zip(asked, (3, 2), strict=True):
            for at in range(0, len(ys) * width, 64):
                line = b.gep(b.gep(pb, [distance], source_etype=ir.I8), [I64(at)], source_etype=ir.I8)
                b.intrinsic("prefetch.p0", VOID, [line, I32(0), I32(place), I32(1)])

    def at(self, p: ir.Value, i: int, odd: dict[int, ir.Value]) -> ir.Value:
        """The address of A's element in row i."""
        if i == 0:
            return p
        if self.tile.turned:
            return self.b.gep(p, [I64(i * self.size)], source_etype=ir.I8)
        scale = i & -i
        if scale > 8:
            return self.b.gep(p, [self.b.mul(odd[i // scale], I64(scale))], source_etype=ir.I8)
        return self.b.gep(p, [odd[i // scale]], source_etype=ir.integer(8 * scale))

    def finish(self, sums: list[list[ir.Value]], masked: bool = True) -> None:
        """Store the sums, or these added to what lies at FROM."""
        b, tile = self.b, self.tile
        c, step = field(b, self.args, C, PTR), field(b, self.args, C_ROW)
        start, from_step = field(b, self.args, FROM, PTR), field(b, self.args, FROM_ROW)
        # What is not there to be added is -0: x + -0 is x, of zeros too.
        masks = [self.mask(x) for x in self.below(field(b, self.args, N))] if masked else []
        adds = b.broadcast(b.icmp_signed("!=", field(b, self.args, ADD), I64(0)), tile.lanes)
        for i, row in enumerate(sums):
            for v, s in enumerate(row):
                at = I64(v * tile.lanes * self.size)
                source = b.gep(start, [b.add(b.mul(from_step, I64(i)), at)], source_etype=ir.I8)
                p = b.gep(c, [b.add(b.mul(step, I64(i)), at)], source_etype=ir.I8)
                there = b.and_(masks[v], adds) if masks else adds
                x = b.fadd(masked_load(b, self.t, source, self.size, there, self.t(-0.0)), s)
                if masks:
                    masked_store(b, x, p, self.size, masks[v])
                else:
                    b.store(x, p, align=self.size)
        b.ret_void()
