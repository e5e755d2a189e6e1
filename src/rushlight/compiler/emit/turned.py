"""Reductions over several dims of operands that lie transposed: contiguous along a reduced dim, but not the innermost.

The elements are visited in their order, which is that of summation, and not in the order of memory: read one by one,
each is in another line of the cache. So what a sweep visits next is first written to a buffer in its order, by squares
of LANES x LANES elements that are turned in registers, and the sweep is that of one contiguous dim.

What is written at a time are LANES rows of the transposed dim, or fewer long ones, each with all the dims inside: they
follow one another in the order of summation.
"""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.compiler.emit import functions, memory
from rushlight.compiler.emit.frame import Frame
from rushlight.compiler.emit.item import Item
from rushlight.compiler.emit.line import CACHE_LINE, Line
from rushlight.compiler.emit.variant import turned_room
from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.control import while_
from rushlight.compiler.llvm.ir import I64, PTR
from rushlight.compiler.llvm.lanes import const
from rushlight.program.loops import BLOCK, LANES, Node, Store

STRIP = 64  # columns of a strip of squares


def pitch(size: int) -> int:
    """Bytes from one row of a strip to the next."""
    return STRIP * size + 64


def serves(f: Frame, stores: Sequence[Store]) -> bool:
    """Whether a sweep reads from buffers; one that writes at each element does not."""
    return f.variant.turns and not stores


class Buffered:
    """The elements from `start` on of the reduced dims of an item, up to `end`, of which buffers hold some.

    Attributes: item: the same item in a frame whose reduced dims are one, along which the operands lie in the buffers;
    starts: variables, where each operand's element 0 would be.
    """

    def __init__(self, item: Item, nodes: Sequence[Node], start: ir.Value, end: ir.Value) -> None:
        self.outer, self.end = item, end
        f = self.frame = item.frame
        b = f.b
        self.read = sorted({n.param for n in nodes if n.op == "load"})
        self.turned = [k for k in self.read if f.variant.classes[k] == "t"]
        self.room = turned_room(f.loops)
        inside = [I64(1)]  # of each dim, how many elements one step along it is
        for size in f.reduced[:0:-1]:
            inside.insert(0, b.mul(inside[0], size))
        # The dim of the rows is the last one along which the first of the operands that lie transposed is contiguous.
        k = self.turned[0]
        step = I64(f.dtypes[k].itemsize)
        self.is_row = [b.icmp_signed("==", stride, step) for stride in f.strides[k][f.K : f.K + f.R - 1]]
        self.rows, self.row = self._at_row(f.reduced), self._at_row(inside)
        self.along = {k: self._at_row(f.strides[k][f.K :]) for k in self.turned}
        n_vectors = (self.room + 2 * BLOCK) // LANES + 1
        # (One sweep follows the other, and fills them anew.)
        array = f.shared_array
        self.buffers = {k: array(f"buffer {k}", memory.raw_type(f.dtypes[k]), n_vectors) for k in self.read}
        self.squares = {k: array(f"square {k}", self.vector(k), LANES) for k in self.turned}
        self.strips = {k: array(f"strip {k}", ir.I8, LANES * pitch(f.dtypes[k].itemsize)) for k in self.turned}
        begin = b.sub(start, b.srem(start, self.row))
        self.first, self.filled = f.var(I64, begin), f.var(I64, begin)  # in the buffers: [first, filled)
        self.starts = {k: f.var(PTR) for k in self.read}
        self._place(begin)
        self.item = item.within(f.as_line())

    def _at_row(self, values: Sequence[ir.Value]) -> ir.Value:
        """That of a value for each reduced dim which belongs to the dim of the rows."""
        found = values[0]
        for here, x in zip(self.is_row, values, strict=False):
            found = self.frame.b.select(here, x, found)
        return found

    def vector(self, k: int) -> ir.Type:
        """LANES elements of an operand that is turned, as integers."""
        return ir.vector(ir.integer(8 * self.frame.dtypes[k].itemsize), LANES)

    def _place(self, first: ir.Value) -> None:
        """The buffers begin with this element."""
        f = self.frame
        f.b.store(first, self.first)
        for k, p in self.starts.items():
            f.b.store(f.moved(self.buffers[k], f.b.mul(first, I64(-f.dtypes[k].itemsize))), p)

    def fill(self, lo: ir.Value, hi: ir.Value) -> None:
        """Let the buffers hold the elements [lo, hi), two blocks at most; those before are no longer needed."""
        f = self.frame
        b = f.b
        with b.if_then(b.icmp_signed("<", b.load(self.filled, typ=I64), hi)):
            filled, first = b.load(self.filled, typ=I64), b.load(self.first, typ=I64)
            start = f.least(lo, filled)
            for k in self.read:
                size, t = f.dtypes[k].itemsize, memory.raw_type(f.dtypes[k])
                source = f.moved(self.buffers[k], b.mul(b.sub(start, first), I64(size)))
                with f.loop(I64(0), b.sub(filled, start), LANES) as i:
                    x = b.load(f.moved(source, b.mul(i, I64(size))), typ=t, align=memory.step_of(f.dtypes[k]))
                    b.store(x, f.moved(self.buffers[k], b.mul(i, I64(size))), align=memory.step_of(f.dtypes[k]))
            self._place(start)
            with while_(b, lambda: b.icmp_signed("<", b.load(self.filled, typ=I64), hi)):
                self._add_rows()

    def _add_rows(self) -> None:
        """Write the next rows behind what the buffers hold: up to LANES, as many as there are and find room."""
        f = self.frame
        b = f.b
        filled, first = b.load(self.filled, typ=I64), b.load(self.first, typ=I64)
        left = b.sub(self.rows, self._at_row(f.decode(filled, f.reduced)))
        held = b.sub(filled, first)
        wanted = b.sdiv(b.add(b.sub(self.end, filled), b.sub(self.row, I64(1))), self.row)
        fit = b.sdiv(b.sub(I64(self.room + 2 * BLOCK), held), self.row)
        count = f.least(f.least(I64(LANES), left), f.least(wanted, fit))
        for k in self.read:
            target = f.moved(self.buffers[k], b.mul(held, I64(f.dtypes[k].itemsize)))
            if k not in self.turned:
                self._copy(k, filled, count, target)
            elif k == self.turned[0]:
                self._turn(k, filled, left, count, target)
            else:
                alike = b.icmp_signed("==", self.along[k], I64(f.dtypes[k].itemsize))
                with b.if_else(alike) as (turned, other):
                    with turned:
                        self._turn(k, filled, left, count, target)
                    with other:
                        self._copy(k, filled, count, target)
        b.store(b.add(filled, b.mul(count, self.row)), self.filled)

    def _pointer(self, k: int, i: ir.Value) -> ir.Value:
        """Where element i of operand k is."""
        f = self.frame
        steps = zip(f.decode(i, f.reduced), f.strides[k][f.K :], strict=True)
        return f.moved(self.outer.base[k], *(f.b.mul(x, s) for x, s in steps))

    def _copy(self, k: int, filled: ir.Value, count: ir.Value, target: ir.Value) -> None:
        """Write `count` rows of an operand, one innermost dim after the other."""
        f = self.frame
        b, d, n = f.b, f.dtypes[k], f.reduced[-1]
        line = b.sdiv(b.mul(count, self.row), n)
        with f.loop(I64(0), line, 1) as m:
            i = b.mul(m, n)
            source = self._pointer(k, b.add(filled, i))
            to = f.moved(target, b.mul(i, I64(d.itemsize)))
            with f.loop(I64(0), n, LANES) as j:
                axis = memory.Axis(f, b.sub(n, j), LANES)
                x = memory.pack(b, axis.load(f.moved(source, b.mul(j, axis.stride(k))), k), d)
                # (What is behind the end of a dim is overwritten by the next one, or is behind the elements.)
                b.store(x, f.moved(to, b.mul(j, I64(d.itemsize))), align=memory.step_of(d))

    def _turn(self, k: int, filled: ir.Value, left: ir.Value, count: ir.Value, target: ir.Value) -> None:
        """Write `count` rows, of `left` that there are, of an operand that lies transposed: square by square, or where
        rows of about 4 KB would push one another out of the nearest cache, by strips of squares, which are then written
        row by row.
        """
        f = self.frame
        b, size, n, t = f.b, f.dtypes[k].itemsize, f.reduced[-1], self.vector(k)
        step, down, strip = f.strides[k][-1], b.mul(self.row, I64(size)), self.strips[k]
        apart = b.icmp_unsigned(">=", b.and_(b.add(down, I64(CACHE_LINE)), I64(4095)), I64(2 * CACHE_LINE))
        whole = b.select(b.and_(apart, b.icmp_signed("==", count, I64(LANES))), b.and_(n, I64(-LANES)), I64(0))
        with f.loop(I64(0), b.sdiv(self.row, n), 1) as m:
            i = b.mul(m, n)
            source, to = self._pointer(k, b.add(filled, i)), f.moved(target, b.mul(i, I64(size)))
            with f.loop(I64(0), whole, LANES) as j:
                at = f.moved(source, b.mul(j, step))
                functions.turn(b, size, LANES, at, step, f.moved(to, b.mul(j, I64(size))), down)
            with f.loop(whole, n, STRIP) as j:
                width = f.least(I64(STRIP), b.sub(n, j))
                with f.loop(I64(0), width, LANES) as q:
                    at = f.moved(source, b.mul(b.add(j, q), step))
                    self._square(k, at, b.sub(width, q), left, f.moved(strip, b.mul(q, I64(size))))
                into = f.moved(to, b.mul(j, I64(size)))
                with f.loop(I64(0), count, 1) as r:
                    source_row = f.moved(strip, b.mul(r, I64(pitch(size))))
                    target_row = f.moved(into, b.mul(r, down))
                    with b.if_else(b.icmp_signed("==", width, I64(STRIP))) as (full, partial):
                        with full:
                            for byte in range(0, STRIP * size, LANES * size):
                                x = b.load(f.moved(source_row, I64(byte)), typ=t, align=size)
                                b.store(x, f.moved(target_row, I64(byte)), align=size)
                        with partial, f.loop(I64(0), width, LANES) as q:
                            exist = memory.Axis(f, b.sub(width, q), path="masked").mask
                            offset = b.mul(q, I64(size))
                            x = b.load(f.moved(source_row, offset), typ=t, align=size)
                            memory.masked_store(b, x, f.moved(target_row, offset), size, exist)

    def _square(self, k: int, at: ir.Value, columns: ir.Value, left: ir.Value, to: ir.Value) -> None:
        """Turn one square of an operand, of which so many columns and rows exist, into a strip."""
        f = self.frame
        b, size, step, t = f.b, f.dtypes[k].itemsize, f.strides[k][-1], self.vector(k)
        lanes, square = I64(LANES), self.squares[k]
        all_there = b.and_(b.icmp_signed(">=", columns, lanes), b.icmp_signed(">=", left, lanes))
        with b.if_else(all_there) as (whole, partial):
            with whole:
                functions.turn(b, size, LANES, at, step, to, I64(pitch(size)))
            with partial:
                there = memory.Axis(f, left, path="masked").mask
                zero = const(t.element, 0, LANES)
                with f.loop(I64(0), f.least(lanes, columns), 1) as c:
                    x = memory.masked_load(b, t, f.moved(at, b.mul(c, step)), size, there, zero)
                    b.store(x, f.at(square, t, c))
                functions.turn(b, size, LANES, square, I64(LANES * size), to, I64(pitch(size)))


class BufferedLine(Line):
    """The line of a sweep over buffers, which lie in the cache."""

    def __init__(self, buffered: Buffered, nodes: list[Node]) -> None:
        self.buffered = buffered
        super().__init__(buffered.item, nodes, [])

    def prefetch(self, i: ir.Value, n: int) -> None:
        """Ask for nothing."""

    def pointer(self, k: int, i: ir.Value, start: ir.Value | None = None) -> ir.Value:
        """Where element i of operand k is, in its buffer."""
        f = self.frame
        first = f.b.load(self.buffered.starts[k], typ=PTR)
        return f.moved(first, f.b.mul(i, I64(f.dtypes[k].itemsize)))
