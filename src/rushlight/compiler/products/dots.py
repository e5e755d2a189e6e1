"""The kernel of a bfloat16 product by dot products of pairs (AVX512-BF16): up to 32 rows of 32 elements of C, in
float32.

It has the loops and the operands of AMX's kernel (`amx.py`): a step takes 32 terms of K, rows of A are 32 elements,
`a_row` bytes apart (and `a_k` bytes to the next step), and rows of B hold pairs of neighbours along K for each column.
An instruction adds a pair's two products to each of 16 sums, so an element of C is one chain over the pairs, in order
of k. C is read before the first step, and the sum goes on where it was. (The processor rounds to nearest, and takes
subnormals as zeros.)

Rows are taken by 12, as many as there are registers for, and what is left by fewer; rows up to the 32nd may be read and
written. It takes the address of the numbers of `core/native/product.h` (`rl_tile`); `add`: as for AMX's kernel, whose
tiles 2 and 3 open and close; here there is nothing to open.
"""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.ir import BF16, F32, I32, I64, PTR, VOID
from rushlight.compiler.products.shapes import Dots
from rushlight.compiler.products.tile import A_K, A_ROW, ADD, C_ROW, A, B, C, K, M, field

_LANES = 16
_VECTORS = 2
_LINE = 64  # bytes of a row of A in a step
_PAIR = 4
_PAIRS = _LINE // _PAIR  # of a step


def module(dots: Dots) -> ir.Module:
    """The kernel `k`."""
    made = ir.Module("dots")
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
        _Rows(b, args, some, pa, pc).write()
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


class _Rows:
    """The code for a number of rows: rows of A at `a`, and of C at `c`."""

    def __init__(self, b: ir.IRBuilder, args: ir.Value, rows: int, a: ir.Value, c: ir.Value) -> None:
        self.b, self.args, self.rows, self.a, self.c = b, args, rows, a, c
        self.t = ir.vector(F32, _LANES)

    def write(self) -> None:
        """The sums before, the loop over the steps, and the stores."""
        b, c_row = self.b, field(self.b, self.args, C_ROW)
        places = [
            [self.moved(self.c, b.mul(c_row, I64(i)), I64(v * _LINE)) for v in range(_VECTORS)]
            for i in range(self.rows)
        ]
        adds = b.icmp_signed("!=", field(b, self.args, ADD), I64(0))
        before, there, steps = b.block, b.append_basic_block("add"), b.append_basic_block("steps")
        b.cbranch(adds, there, steps)
        b.position_at_end(there)
        found = [[b.load(p, typ=self.t, align=4) for p in row] for row in places]
        b.branch(steps)
        b.position_at_end(steps)
        sums = self.phis()
        for row, old in zip(sums, found, strict=True):
            for s, x in zip(row, old, strict=True):
                s.add_incoming(self.t(0.0), before)
                s.add_incoming(x, there)
        for spots, made in zip(places, self.over_steps(sums), strict=True):
            for p, x in zip(spots, made, strict=True):
                b.store(x, p, align=4)

    def phis(self) -> list[list[ir.Phi]]:
        return [[self.b.phi(self.t) for _ in range(_VECTORS)] for _ in range(self.rows)]

    def over_steps(self, sums: Sequence[Sequence[ir.Value]]) -> list[list[ir.Value]]:
        """The sums behind all steps (at least one)."""
        b = self.b
        steps, step, panel = field(b, self.args, K), field(b, self.args, A_K), field(b, self.args, B, PTR)
        before, again, inner = b.block, b.append_basic_block("step"), b.append_basic_block("pair")
        behind, after = b.append_basic_block("behind"), b.append_basic_block("sums")
        b.branch(again)
        b.position_at_end(again)
        left, pa, pb = b.phi(I64), b.phi(PTR), b.phi(PTR)
        for phi, first in ((left, steps), (pa, self.a), (pb, panel)):
            phi.add_incoming(first, before)
        started = self.phis()
        b.branch(inner)
        b.position_at_end(inner)
        pairs, at, line = b.phi(I64), b.phi(PTR), b.phi(PTR)
        going = self.phis()
        for phi, start in ((pairs, I64(_PAIRS)), (at, pa), (line, pb)):
            phi.add_incoming(start, again)
        new = self.pair(at, line, going)
        fewer = b.sub(pairs, I64(1))
        next_line = self.moved(line, I64(_VECTORS * _LINE))
        for phi, then in ((pairs, fewer), (at, self.moved(at, I64(_PAIR))), (line, next_line)):
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

    def pair(self, a: ir.Value, line: ir.Value, sums: Sequence[Sequence[ir.Value]]) -> list[list[ir.Value]]:
        """The sums and the products of a pair of terms: at `a` in each row of A, and at `line` for each column."""
        b, half = self.b, ir.vector(BF16, 2 * _LANES)
        ys = [b.load(self.moved(line, I64(v * _LINE)), typ=half, align=2) for v in range(_VECTORS)]
        a_row, made = field(b, self.args, A_ROW), []
        for i, row in enumerate(sums):
            x = b.load(self.moved(a, b.mul(a_row, I64(i))), typ=I32, align=2)
            xs = b.bitcast(b.broadcast(x, _LANES), half)
            made.append([self.dots(s, xs, y) for s, y in zip(row, ys, strict=True)])
        return made

    def dots(self, s: ir.Value, x: ir.Value, y: ir.Value) -> ir.Value:
        return self.b.intrinsic("x86.avx512bf16.dpbf16ps.512", self.t, [s, x, y])

    def moved(self, p: ir.Value, *by: ir.Value) -> ir.Value:
        for n in by:
            p = self.b.gep(p, [n], source_etype=ir.I8)
        return p
