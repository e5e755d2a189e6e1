"""The kernel of a product of short types by words without tiles of the processor's own: up to 32 rows of 32 elements of
C, bfloat16 in float32 or int8 in int32.

It has the loops and the operands of AMX's kernel (`amx.py`): a step takes a line of terms of K, rows of A are such
lines, `a_row` bytes apart (and `a_k` bytes to the next step), and rows of B hold words of neighbours along K for each
column. An instruction adds all products of a word to each lane's sum, so an element of C is one chain over the words,
in order of k. C is read before the first step, and the sum goes on where it was.

- bfloat16, by AVX512-BF16: two terms. (The processor rounds to nearest, and takes subnormals as zeros.)
- int8, by AVX512-VNNI: four terms, of which A's are unsigned. They are taken as 128 more than they are, and 128 times
  the sum of B's column is subtracted.
- int8 without it: terms as 16 bits, two pairs by two instructions.

Rows are taken by as many as there are registers for, and what is left by fewer; rows up to the 32nd may be read and
written. It takes the address of the numbers of `core/native/product.h` (`rl_tile`); `add`: as for AMX's kernel, whose
tiles 2 and 3 open and close; here there is nothing to open.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.ir import BF16, F32, I8, I16, I32, I64, PTR, VOID
from rushlight.compiler.products.shapes import Dots
from rushlight.compiler.products.tile import A_K, A_ROW, ADD, C_ROW, HASWELL, A, B, C, K, M, field

_COLUMNS = 32
_LINE = 64  # bytes of a row of A in a step
_WORD = 4
_WORDS = _LINE // _WORD  # of a step
_VECTORS = 2  # of columns, at a time

Sums = list[list[ir.Value]]


def module(dots: Dots) -> ir.Module:
    """The kernel `k`."""
    made = ir.Module(f"dots {dots}")
    made.attributes = "" if dots.masks else HASWELL
    fn = ir.Function(made, VOID, [PTR], "k")
    b, args = ir.IRBuilder(fn), fn.args[0]
    with b.if_then(b.icmp_signed(">", field(b, args, ADD), I64(1)), likely=False):
        b.ret_void()
    rows, a, c = field(b, args, M), field(b, args, A, PTR), field(b, args, C, PTR)
    before, group, done = b.block, b.append_basic_block("group"), b.append_basic_block("done")
    b.branch(group)
    b.position_at_end(group)
    left, pa, pc = b.phi(I64), b.phi(PTR), b.phi(PTR)
    for phi, first in ((left, rows), (pa, a), (pc, c)):
        phi.add_incoming(first, before)
    for some, fewer in zip(dots.rows, (*dots.rows[1:], 0), strict=True):
        taken, other = b.append_basic_block(f"rows{some}"), b.append_basic_block("fewer")
        b.cbranch(b.icmp_signed(">", left, I64(fewer)), taken, other)
        b.position_at_end(taken)
        for at in range(0, _COLUMNS * _WORD, _VECTORS * dots.lanes * _WORD):
            _KINDS[dots.kind](b, args, dots, some, pa, pc, at).write()
        less = b.sub(left, I64(some))
        for phi, step in ((pa, A_ROW), (pc, C_ROW)):
            phi.add_incoming(b.gep(phi, [b.mul(field(b, args, step), I64(some))], source_etype=ir.I8), b.block)
        left.add_incoming(less, b.block)
        b.cbranch(b.icmp_signed(">", less, I64(0)), group, done)
        b.position_at_end(other)
    b.branch(done)
    b.position_at_end(done)
    b.ret_void()
    return made


class _Rows(ABC):
    """The code for a number of rows: rows of A at `a`, and of C at `c`, and the columns that begin `at` bytes on."""

    sum_type = F32

    def __init__(
        self, b: ir.IRBuilder, args: ir.Value, dots: Dots, rows: int, a: ir.Value, c: ir.Value, at: int
    ) -> None:
        self.b, self.args, self.rows, self.a, self.c, self.at = b, args, rows, a, c, at
        self.lanes, self.width = dots.lanes, dots.lanes * _WORD
        self.t = ir.vector(self.sum_type, self.lanes)

    def write(self) -> None:
        """The sums before, the loop over the steps, and the stores."""
        b, c_row = self.b, field(self.b, self.args, C_ROW)
        places = [
            [self.moved(self.c, b.mul(c_row, I64(i)), I64(self.at + v * self.width)) for v in range(_VECTORS)]
            for i in range(self.rows)
        ]
        adds = b.icmp_signed("!=", field(b, self.args, ADD), I64(0))
        before, there, steps = b.block, b.append_basic_block("add"), b.append_basic_block("steps")
        b.cbranch(adds, there, steps)
        b.position_at_end(there)
        found = [[b.load(p, typ=self.t, align=4) for p in row] for row in places]
        b.branch(steps)
        b.position_at_end(steps)
        sums = self.phis(self.rows)
        for row, old in zip(sums, found, strict=True):
            for s, x in zip(row, old, strict=True):
                s.add_incoming(self.t(0), before)
                s.add_incoming(x, there)
        for spots, made in zip(places, self.finished(self.over_steps(self.begun(sums))), strict=True):
            for p, x in zip(spots, made, strict=True):
                b.store(x, p, align=4)

    def phis(self, rows: int) -> list[list[ir.Phi]]:
        return [[self.b.phi(self.t) for _ in range(_VECTORS)] for _ in range(rows)]

    def begun(self, sums: Sequence[Sequence[ir.Value]]) -> Sums:
        """What is summed beside the rows of C, behind these."""
        return [list(row) for row in sums]

    def finished(self, sums: Sums) -> Sums:
        """The rows of C, from all sums."""
        return sums

    def over_steps(self, sums: Sums) -> Sums:
        """The sums behind all steps (at least one)."""
        b = self.b
        steps, step = field(b, self.args, K), field(b, self.args, A_K)
        panel = self.moved(field(b, self.args, B, PTR), I64(self.at))
        before, again, inner = b.block, b.append_basic_block("step"), b.append_basic_block("word")
        behind, after = b.append_basic_block("behind"), b.append_basic_block("sums")
        b.branch(again)
        b.position_at_end(again)
        left, pa, pb = b.phi(I64), b.phi(PTR), b.phi(PTR)
        for phi, first in ((left, steps), (pa, self.a), (pb, panel)):
            phi.add_incoming(first, before)
        started = self.phis(len(sums))
        b.branch(inner)
        b.position_at_end(inner)
        words, at, line = b.phi(I64), b.phi(PTR), b.phi(PTR)
        going = self.phis(len(sums))
        for phi, start in ((words, I64(_WORDS)), (at, pa), (line, pb)):
            phi.add_incoming(start, again)
        new = self.word(at, line, going)
        fewer = b.sub(words, I64(1))
        next_line = self.moved(line, I64(_COLUMNS * _WORD))
        for phi, then in ((words, fewer), (at, self.moved(at, I64(_WORD))), (line, next_line)):
            phi.add_incoming(then, inner)
        b.cbranch(b.icmp_signed("!=", fewer, I64(0)), inner, behind)
        b.position_at_end(behind)
        one_less = b.sub(left, I64(1))
        for phi, then in ((left, one_less), (pa, self.moved(pa, step)), (pb, next_line)):
            phi.add_incoming(then, behind)
        for old, begun, gone, made in zip(sums, started, going, new, strict=True):
            for x, s, g, y in zip(old, begun, gone, made, strict=True):
                s.add_incoming(x, before)
                s.add_incoming(y, behind)
                g.add_incoming(s, again)
                g.add_incoming(y, inner)
        b.cbranch(b.icmp_signed("!=", one_less, I64(0)), again, after)
        b.position_at_end(after)
        return new

    def word(self, a: ir.Value, line: ir.Value, sums: Sequence[Sequence[ir.Value]]) -> Sums:
        """The sums and the products of a word: at `a` in each row of A, and at `line` for each column."""
        b, a_row = self.b, field(self.b, self.args, A_ROW)
        words = ir.vector(I32, self.lanes)
        ys = [self.of_b(b.load(self.moved(line, I64(v * self.width)), typ=words, align=4)) for v in range(_VECTORS)]
        made = []
        for i in range(self.rows):
            x = b.load(self.moved(a, b.mul(a_row, I64(i))), typ=I32, align=2)
            parts = self.of_a(b.broadcast(x, self.lanes))
            made.append([self.added(s, parts, y) for s, y in zip(sums[i], ys, strict=True)])
        return made + self.beside(sums[self.rows :], ys)

    @abstractmethod
    def of_a(self, x: ir.Value) -> Sequence[ir.Value]:
        """A word of A in all lanes, as it is multiplied."""

    @abstractmethod
    def of_b(self, y: ir.Value) -> Sequence[ir.Value]:
        """A vector of words of B, as it is multiplied."""

    @abstractmethod
    def added(self, s: ir.Value, x: Sequence[ir.Value], y: Sequence[ir.Value]) -> ir.Value:
        """A vector of sums, and the products of words."""

    def beside(self, sums: Sequence[Sequence[ir.Value]], ys: Sequence[Sequence[ir.Value]]) -> Sums:
        """What is summed beside the rows of C, and B's words."""
        return []

    def moved(self, p: ir.Value, *by: ir.Value) -> ir.Value:
        for n in by:
            p = self.b.gep(p, [n], source_etype=ir.I8)
        return p


class _Pairs(_Rows):
    """bfloat16 by AVX512-BF16."""

    def of_a(self, x: ir.Value) -> Sequence[ir.Value]:
        return (self.b.bitcast(x, ir.vector(BF16, 2 * self.lanes)),)

    def of_b(self, y: ir.Value) -> Sequence[ir.Value]:
        return self.of_a(y)

    def added(self, s: ir.Value, x: Sequence[ir.Value], y: Sequence[ir.Value]) -> ir.Value:
        return self.b.intrinsic("x86.avx512bf16.dpbf16ps.512", self.t, [s, x[0], y[0]])


class _Fours(_Rows):
    """int8 by AVX512-VNNI."""

    sum_type = I32

    def of_a(self, x: ir.Value) -> Sequence[ir.Value]:
        return (self.bytes(self.b.xor(x, self.halves())),)

    def of_b(self, y: ir.Value) -> Sequence[ir.Value]:
        return (self.bytes(y),)

    def halves(self) -> ir.Value:
        """128 in each byte."""
        return self.b.broadcast(I32(-0x7F7F7F80), self.lanes)

    def bytes(self, x: ir.Value) -> ir.Value:
        return self.b.bitcast(x, ir.vector(I8, _WORD * self.lanes))

    def added(self, s: ir.Value, x: Sequence[ir.Value], y: Sequence[ir.Value]) -> ir.Value:
        return self.b.intrinsic("x86.avx512.vpdpbusd.512", self.t, [s, x[0], y[0]])

    def begun(self, sums: Sequence[Sequence[ir.Value]]) -> Sums:
        return [*super().begun(sums), [self.t(0)] * _VECTORS]

    def beside(self, sums: Sequence[Sequence[ir.Value]], ys: Sequence[Sequence[ir.Value]]) -> Sums:
        every = (self.bytes(self.halves()),)
        return [[self.added(s, every, y) for s, y in zip(sums[0], ys, strict=True)]]

    def finished(self, sums: Sums) -> Sums:
        *rows, more = sums
        return [[self.b.sub(s, x) for s, x in zip(row, more, strict=True)] for row in rows]


class _Halves(_Rows):
    """int8 as 16 bits: the terms of even places, and those of odd ones."""

    sum_type = I32

    def of_a(self, x: ir.Value) -> Sequence[ir.Value]:
        b, t = self.b, ir.vector(I16, 2 * self.lanes)
        both, by = b.bitcast(x, t), b.broadcast(I16(8), 2 * self.lanes)
        return b.ashr(b.shl(both, by), by), b.ashr(both, by)

    def of_b(self, y: ir.Value) -> Sequence[ir.Value]:
        return self.of_a(y)

    def added(self, s: ir.Value, x: Sequence[ir.Value], y: Sequence[ir.Value]) -> ir.Value:
        name = "x86.avx512.pmaddw.d.512" if self.lanes == 16 else "x86.avx2.pmadd.wd"
        for of_a, of_b in zip(x, y, strict=True):
            s = self.b.add(s, self.b.intrinsic(name, self.t, [of_a, of_b]))
        return s


_KINDS: dict[str, type[_Rows]] = {"bf16": _Pairs, "vnni": _Fours, "words": _Halves}
