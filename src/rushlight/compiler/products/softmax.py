"""The kernels of attention's rows: the running softmax of a block of scores, its gradient, and the end of a row.

Rows lie one after the other, in float32 or float64, with room for whole vectors; row i of a block sees its first
limit + i columns (`core/native/attention.h` has the numbers that a kernel takes). A vector has 16 lanes everywhere, so
a sum has the same order on every processor.

Source:
    Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from rushlight.compiler import vecmath
from rushlight.compiler.emit.memory import masked_load, masked_store
from rushlight.compiler.emit.scalar import from_memory, memory_type
from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.ir import F32, F64, I32, I64, PTR, VOID
from rushlight.compiler.products.shapes import Finish, Rows
from rushlight.compiler.products.tile import HASWELL, field
from rushlight.compiler.vecmath.base import Kit
from rushlight.compiler.vecmath.exponential import exp_near
from rushlight.core.dtypes import by_name

# the fields of rl_rows
S, S_ROW, ROWS, N, LIMIT, MASK, MASK_ROW, SCALE, MOST, SUM, Y, Y_ROW, WIDTH = range(13)
LANES = 16
Sweep = Callable[[ir.Value, Sequence[ir.Value]], None]
# So many columns behind those that a row sees are made zero: tiles of up to 16 rows read what their last row sees.
_SLACK = 16


def rows_module(shape: Rows) -> ir.Module:
    """The kernel `k` of the softmax of rows, or of its gradient."""
    made, b, args = _begun(f"rows {shape}", shape.masks)
    rows = _Gradient(b, args, shape) if shape.gradient else _Softmax(b, args, shape)
    for sweep in rows.sweeps():
        rows.over(field(b, args, ROWS), 1, sweep)
    b.ret_void()
    return made


def finish_module(shape: Finish) -> ir.Module:
    """The kernel `k` that divides rows by the sums of their weights."""
    made, b, args = _begun(f"finish {shape}", shape.masks)
    y, y_row, rows, width, most, sums, lse, to, to_row = (
        field(b, args, k, PTR if k in (0, 4, 5, 6, 7) else I64) for k in range(9)
    )
    base = _Base(b, shape.dtype)

    def row(i: ir.Value) -> None:
        total, m = base.number(sums, i), base.number(most, i)
        nothing = b.fcmp_ordered("==", total, base.scalar(0.0))  # nothing is seen: zeros, and no weight at any score
        log = vecmath.emit("log", b, [total])
        base.set_number(b.select(nothing, base.scalar(math.inf), b.fadd(m, log)), lse, i)
        factor = b.fdiv(base.scalar(1.0), b.select(nothing, base.scalar(1.0), total))
        base.scale(base.at(y, i, y_row), base.at(to, i, to_row), width, factor)

    base.over(rows, 1, lambda i, _: row(i))
    b.ret_void()
    return made


def _begun(name: str, masks: bool) -> tuple[ir.Module, ir.IRBuilder, ir.Value]:
    made = ir.Module(name)
    made.attributes = "" if masks else HASWELL
    fn = ir.Function(made, VOID, [PTR], "k")
    return made, ir.IRBuilder(fn), fn.args[0]


class _Base:
    """Vectors of a float type, and loops over them."""

    def __init__(self, b: ir.IRBuilder, dtype: str) -> None:
        self.b = b
        self.scalar = F64 if dtype == "float64" else F32
        self.size = self.scalar.width // 8
        self.t = ir.vector(self.scalar, LANES)
        self.places = ir.lanes(I32, tuple(range(LANES)))

    def over(
        self,
        end: ir.Value,
        step: int,
        body: Callable[[ir.Value, Sequence[ir.Value]], Sequence[ir.Value] | None],
        *carried: ir.Value,
    ) -> list[ir.Value]:
        """body(i, carried) -> carried for i = 0, step, ... below end; what is carried at last."""
        b = self.b
        before, again, inside, after = b.block, *(b.append_basic_block(n) for n in ("again", "inside", "done"))
        b.branch(again)
        b.position_at_end(again)
        i, values = b.phi(I64), [b.phi(v.type) for v in carried]
        for phi, first in zip([i, *values], [I64(0), *carried], strict=True):
            phi.add_incoming(first, before)
        b.cbranch(b.icmp_signed("<", i, end), inside, after)
        b.position_at_end(inside)
        found = body(i, values) or ()
        following = b.add(i, I64(step))
        for phi, new in zip([i, *values], [following, *found], strict=True):
            phi.add_incoming(new, b.block)
        b.branch(again)
        b.position_at_end(after)
        return list(values)

    def at(self, p: ir.Value, i: ir.Value, step: ir.Value) -> ir.Value:
        return self.b.gep(p, [self.b.mul(i, step)], source_etype=ir.I8)

    def number(self, p: ir.Value, i: ir.Value) -> ir.Value:
        return self.b.load(self.at(p, i, I64(self.size)), typ=self.scalar, align=self.size)

    def set_number(self, x: ir.Value, p: ir.Value, i: ir.Value) -> None:
        self.b.store(x, self.at(p, i, I64(self.size)), align=self.size)

    def load(self, p: ir.Value, j: ir.Value) -> ir.Value:
        return self.b.load(self.at(p, j, I64(self.size)), typ=self.t, align=self.size)

    def store(self, x: ir.Value, p: ir.Value, j: ir.Value) -> None:
        self.b.store(x, self.at(p, j, I64(self.size)), align=self.size)

    def below(self, n: ir.Value) -> ir.Value:
        """The mask of the lanes whose number is below n."""
        b = self.b
        bound = b.select(b.icmp_signed("<", n, I64(LANES)), n, I64(LANES))
        bound = b.select(b.icmp_signed("<", bound, I64(0)), I64(0), bound)
        return b.icmp_signed("<", self.places, b.broadcast(b.trunc(bound, I32), LANES))

    def least(self, x: ir.Value, y: ir.Value) -> ir.Value:
        return self.b.select(self.b.icmp_signed("<", x, y), x, y)

    def scale(self, y: ir.Value, to: ir.Value, width: ir.Value, factor: ir.Value) -> None:
        """to = y * factor, a row."""
        b, factors, zero = self.b, self.b.broadcast(factor, LANES), self.t(0.0)

        def part(j: ir.Value, _: Sequence[ir.Value]) -> None:
            there = self.below(b.sub(width, j))
            step = I64(self.size)
            x = masked_load(b, self.t, self.at(y, j, step), self.size, there, zero)
            masked_store(b, b.fmul(x, factors), self.at(to, j, step), self.size, there)

        self.over(width, LANES, part)

    def folded(self, x: ir.Value, op: Callable[[ir.Value, ir.Value], ir.Value]) -> ir.Value:
        """The lanes of a vector, combined by halves."""
        n = LANES
        while n > 1:
            n //= 2
            low, high = (self.b.shuffle(x, None, range(k, k + n)) for k in (0, n))
            x = op(low, high)
        return self.b.extract_element(x, I32(0))

    def larger(self, x: ir.Value, y: ir.Value) -> ir.Value:
        """The larger, x where y is NaN: a NaN shows in the sum of the weights."""
        return self.b.select(self.b.fcmp_ordered(">", y, x), y, x)


class _Rows(_Base):
    """What the two kernels of scores share: the score of a column, and which of them a row sees."""

    def __init__(self, b: ir.IRBuilder, args: ir.Value, shape: Rows) -> None:
        super().__init__(b, shape.dtype)
        self.cheap_masks = shape.masks
        self.mask_type = None if shape.mask is None else by_name[shape.mask]
        self.s, self.mask, self.scale_at, self.most, self.sum, self.y = (
            field(b, args, k, PTR) for k in (S, MASK, SCALE, MOST, SUM, Y)
        )
        self.s_row, self.n, self.limit, self.mask_row, self.y_row, self.width = (
            field(b, args, k) for k in (S_ROW, N, LIMIT, MASK_ROW, Y_ROW, WIDTH)
        )
        self.factor = b.broadcast(b.load(self.scale_at, typ=self.scalar, align=self.size), LANES)

    def bounds(self, i: ir.Value) -> tuple[ir.Value, ir.Value]:
        """How many columns row i sees (or less than none), and where it ends: zeros follow."""
        seen = self.b.add(self.limit, i)
        return self.least(seen, self.n), self.least(self.b.add(seen, I64(_SLACK)), self.n)

    def score(self, x: ir.Value, i: ir.Value, j: ir.Value, seen: ir.Value) -> ir.Value:
        """The scores of columns from j on, -inf where a row does not see them."""
        b, least = self.b, self.t(-math.inf)
        x = b.fmul(x, self.factor)
        if self.mask_type is not None:
            m = from_memory(b, self.masks_from(i, j, memory_type(self.mask_type)), self.mask_type)
            x = b.select(m, x, least) if self.mask_type.kind == "b" else b.fadd(x, m)
        return b.select(self.below(b.sub(seen, j)), x, least)

    def masks_from(self, i: ir.Value, j: ir.Value, stored: ir.Type) -> ir.Value:
        """The mask of row i from column j on, as it lies in memory."""
        b, size, left, t = self.b, stored.width // 8, self.b.sub(self.n, j), ir.vector(stored, LANES)
        p = self.at(self.at(self.mask, i, self.mask_row), j, I64(size))
        if self.cheap_masks:
            return masked_load(b, t, p, size, self.below(left), ir.constant(t, 0))
        found = b.alloca(t)  # a load of part of a vector is a branch for each lane there
        with b.if_else(b.icmp_signed(">=", left, I64(LANES)), likely=True) as (whole, part):
            with whole:
                b.store(b.load(p, typ=t, align=size), found, align=size)
            with part:
                b.store(masked_load(b, t, p, size, self.below(left), ir.constant(t, 0)), found, align=size)
        return b.load(found, typ=t, align=size)

    def weight(self, x: ir.Value) -> ir.Value:
        """e^x of x <= 0, and 0 where it would be less than the smallest normal number: a processor takes ten times as
        long to make a subnormal one, and beside the largest weight, which is about 1, it is nothing.
        """
        kit = Kit(self.b, x.type)
        least = -708.0 if kit.wide else -87.0
        value = exp_near(kit.f(x).at_least(least)).v
        return self.b.select(self.b.fcmp_ordered("<", x, ir.constant(x.type, least)), ir.constant(x.type, 0.0), value)


class _Softmax(_Rows):
    """Scores become weights, exp(score - the largest so far); sum and results so far follow where that grows."""

    def sweeps(self) -> Sequence[Sweep]:
        return self.largest, self.weights

    def shift(self, most: ir.Value) -> ir.Value:
        """What is subtracted of the scores of a row: the largest, 0 where that is -inf."""
        b = self.b
        return b.select(b.fcmp_ordered("==", most, self.scalar(-math.inf)), self.scalar(0.0), most)

    def largest(self, i: ir.Value, _: Sequence[ir.Value]) -> None:
        """The first sweep: scores with scale and mask, and the largest."""
        b = self.b
        row = self.at(self.s, i, self.s_row)
        seen, end = self.bounds(i)

        def part(j: ir.Value, so_far: Sequence[ir.Value]) -> Sequence[ir.Value]:
            t = self.score(self.load(row, j), i, j, seen)
            self.store(t, row, j)
            return [self.larger(so_far[0], t)]

        (m,) = self.over(end, LANES, part, self.t(-math.inf))
        before, total = self.number(self.most, i), self.number(self.sum, i)
        now = self.larger(before, self.folded(m, self.larger))
        self.set_number(now, self.most, i)
        grown = b.and_(b.fcmp_ordered(">", now, before), b.fcmp_unordered("!=", total, self.scalar(0.0)))
        with b.if_then(grown, likely=False):
            factor = self.weight(b.fsub(before, now))
            self.set_number(b.fmul(total, factor), self.sum, i)
            y = self.at(self.y, i, self.y_row)
            self.scale(y, y, self.width, factor)

    def weights(self, i: ir.Value, _: Sequence[ir.Value]) -> None:
        """The second: weights, and their sum."""
        b = self.b
        row = self.at(self.s, i, self.s_row)
        end = self.bounds(i)[1]
        shifts = b.broadcast(self.shift(self.number(self.most, i)), LANES)

        def part(j: ir.Value, so_far: Sequence[ir.Value]) -> Sequence[ir.Value]:
            w = self.weight(b.fsub(self.load(row, j), shifts))
            self.store(w, row, j)
            return [b.fadd(so_far[0], w)]

        (sums,) = self.over(end, LANES, part, self.t(0.0))
        self.set_number(b.fadd(self.number(self.sum, i), self.folded(sums, b.fadd)), self.sum, i)


class _Gradient(_Rows):
    """Scores become weights, exp(score - log-sum-exp), and the gradients of weights those of products."""

    def sweeps(self) -> Sequence[Sweep]:
        return (self.row,)

    def row(self, i: ir.Value, _: Sequence[ir.Value]) -> None:
        """The only sweep."""
        b = self.b
        row, back = self.at(self.s, i, self.s_row), self.at(self.y, i, self.y_row)
        seen, end = self.bounds(i)
        lse, delta = (b.broadcast(self.number(p, i), LANES) for p in (self.most, self.sum))

        def part(j: ir.Value, _: Sequence[ir.Value]) -> None:
            w = self.weight(b.fsub(self.score(self.load(row, j), i, j, seen), lse))
            self.store(w, row, j)
            d = b.fmul(b.fmul(w, b.fsub(self.load(back, j), delta)), self.factor)
            self.store(b.select(self.below(b.sub(seen, j)), d, self.t(0.0)), back, j)

        self.over(end, LANES, part)
