"""Walks along one dim: whole vectors, groups of them, and a tail."""

from __future__ import annotations

from rushlight.compiler.costs import cost_of
from rushlight.compiler.emit import memory
from rushlight.compiler.emit.item import Item, compute, one_lane
from rushlight.compiler.emit.scalar import Value, from_memory, memory_type
from rushlight.compiler.emit.variant import arithmetic
from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.ir import I32, I64
from rushlight.compiler.llvm.lanes import splat
from rushlight.program.loops import LANES, Node, Store

# bytes: one core's own prefetcher leaves bandwidth unused (where two chunks are read side by side, it does not)
AHEAD = 8192
CACHED = 1 << 20  # bytes that a core's own cache may hold from one launch to the next
CACHE_LINE = 64
GROUP = 4  # vectors of a row that are computed side by side


class Line:
    """Walks one dim: element i of operand k is at base + i * stride.

    Without reductions, what is the same all along the line is computed once, before the loop (nothing tells LLVM that
    stores do not alias what is loaded): values, and where a gather by such indices begins, which is then read as an
    operand is.
    """

    def __init__(self, item: Item, nodes: list[Node], stores: list[Store]) -> None:
        f = self.frame = item.frame
        self.item, self.stores = item, stores
        self.fixed_scalars: dict[int, Value] = {}
        self.rows: dict[int, ir.Value] = {}
        for n in nodes if not f.R else ():
            if f.variant.uniform(n):
                self.fixed_scalars[n.id] = self._fixed(n)
            elif n.op == "gather" and all(f.variant.uniform(a) for a in n.args):
                self.rows[n.id] = memory.gather_place(f, n, item.base[n.param[0]], [self._scalar(a)[0] for a in n.args])
        self.fixed = {k: [splat(f.b, x, LANES) for x in v] for k, v in self.fixed_scalars.items()}
        self.moving = [n for n in nodes if n.id not in self.fixed and n.id not in self.rows]
        self.gathers = [n for n in nodes if n.id in self.rows]
        self.loads = [n for n in self.moving if n.op == "load"]
        self.indices = [n for n in self.moving if n.op == "index"]
        self.places = [n for n in self.moving if n.op == "place"]

    def _scalar(self, n: Node) -> Value:
        """A value that is the same all along the line, in one lane; some are known as vectors."""
        return self.fixed_scalars[n.id] if n.id in self.fixed_scalars else one_lane(self.frame, self.item.known[n.id])

    def _fixed(self, n: Node) -> Value:
        f, item = self.frame, self.item
        if n.op == "load":
            return memory.load_scalar(f.b, item.base[n.param], f.dtypes[n.param])
        if n.op == "place":
            return [f.b.ptrtoint(item.base[n.param], I64)]
        if n.op == "index":
            return [item.index[n.param[1]]]
        return compute(f, n, {a.id: self._scalar(a) for a in n.args}, 0, None)

    def fixed_divisors(self) -> dict[int, Value]:
        """The divisors that are the same all along the line, but not in the whole launch."""
        known = {**self.item.known, **self.fixed_scalars}
        by = {n.args[1] for n in self.moving if n.op == "div"}
        return {n.id: known[n.id] for n in by if n.id in known and n.level != "S"}

    def open(self, i: ir.Value, rem: ir.Value, path: str = "either") -> Vector:
        """The LANES elements from i on, of which `rem` exist."""
        return Vector(self, i, memory.Axis(self.frame, rem, path=path))

    def open_group(self, i: ir.Value, lanes: int) -> Group:
        """`lanes` elements from i on, all of which exist; only where `group` says so."""
        return Group(self, i, lanes)

    def group(self) -> int:
        """How many vectors a sweep takes as one: several if all of it is contiguous, be it in reverse order, and
        nothing but arithmetic.

        Half as many of complex128 numbers (a vector is four registers, and there are 32) and where functions of float64
        are mapped: their vectors are two registers, which gives chains enough.
        """
        f = self.frame
        written = {s.operand for s in self.stores}
        operands = {n.param for n in self.loads} | {n.param[0] for n in self.gathers} | written
        if any(f.classes[k] not in ("c" if k in written else "cr") for k in operands) or not all(
            map(arithmetic, self.moving)
        ):
            return 1
        wide = any(
            n.dtype == "complex128" or n.dtype == "float64" and not cost_of(n.op).cheap and n.level == "F" and not f.R
            for n in self.moving
        )
        return GROUP // 2 if wide else GROUP

    def prefetch(self, i: ir.Value, n: int) -> None:
        """Ask for the n elements that lie AHEAD bytes after element i: one core's own prefetcher leaves bandwidth
        unused. What the cache holds takes up to a quarter longer by it.
        """
        f = self.frame
        b = f.b
        visited = f.n_reduced
        for size in f.kept:
            visited = b.mul(visited, size)
        for k in sorted({load.param for load in self.loads if f.classes[load.param] == "c"}):
            itemsize = f.dtypes[k].itemsize
            with b.if_then(b.icmp_signed(">", visited, I64(CACHED // itemsize))):
                start = b.add(b.mul(i, I64(itemsize)), I64(AHEAD))
                for line in range(0, n * itemsize, CACHE_LINE):
                    p = f.moved(self.item.base[k], b.add(start, I64(line)))
                    b.intrinsic("prefetch.p0", ir.VOID, [p, I32(0), I32(2), I32(1)])

    def pointer(self, k: int, i: ir.Value, start: ir.Value | None = None) -> ir.Value:
        """Element i of operand k, or of the row of it that begins at `start`."""
        f = self.frame
        stride = I64(f.dtypes[k].itemsize) if f.classes[k] == "c" else f.strides[k][-1]
        return f.moved(self.item.base[k] if start is None else start, f.b.mul(i, stride))

    def operands(self, i: ir.Value) -> memory.Bundle:
        """What is read from memory at element i."""
        return [(n.id, self.pointer(n.param, i), n.param) for n in self.loads] + [
            (n.id, self.pointer(n.param[0], i, self.rows[n.id]), n.param[0]) for n in self.gathers
        ]


class Vector:
    """LANES elements of a line, from the i-th on: the values of loads and indices there."""

    def __init__(self, line: Line, i: ir.Value, axis: memory.Axis) -> None:
        self.line, self.i, self.axis = line, i, axis
        f, item = line.frame, line.item
        self.values = axis.load_many(line.operands(i))
        self.values.update(line.fixed)
        for n in line.places:
            self.values[n.id] = [axis.place(self.pointer(n.param), n.param)]
        for n in line.indices:
            kind, d = n.param
            if kind == "r" or d == f.K - 1:
                start = f.b.add(item.index[d], i) if kind == "k" else i
                self.values[n.id] = [axis.iota(start)]
            else:
                self.values[n.id] = [splat(f.b, item.index[d], LANES)]

    def pointer(self, k: int) -> ir.Value:
        return self.line.pointer(k, self.i)

    def close(self, values: list[Value]) -> None:
        """Write what the line's stores write."""
        for s, v in zip(self.line.stores, values, strict=True):
            self.axis.store(v, self.pointer(s.operand), s.operand)


class Group:
    """Several vectors of a line as one, all of whose elements exist."""

    def __init__(self, line: Line, i: ir.Value, lanes: int) -> None:
        self.line, self.i = line, i
        f = line.frame
        self.values: dict[int, Value] = {}
        for key, v in line.fixed_scalars.items():
            self.values[key] = [splat(f.b, x, lanes) for x in v]
        for key, p, k in line.operands(i):
            d, t = f.dtypes[k], ir.vector(memory_type(f.dtypes[k]), lanes * memory.parts_of(f.dtypes[k]))
            if f.classes[k] == "r":
                raw = f.b.load(f.moved(p, I64(-(lanes - 1) * d.itemsize)), typ=t, align=memory.step_of(d))
                self.values[key] = [from_memory(f.b, x, d) for x in memory.turned_around(f.b, raw, d)]
            else:
                self.values[key] = memory.unpack(f.b, f.b.load(p, typ=t, align=memory.step_of(d)), d)

    def pointer(self, k: int) -> ir.Value:
        return self.line.pointer(k, self.i)

    def close(self, values: list[Value]) -> None:
        """Write what the line's stores write."""
        f = self.line.frame
        for s, v in zip(self.line.stores, values, strict=True):
            d = f.dtypes[s.operand]
            f.b.store(memory.pack(f.b, v, d), self.pointer(s.operand), align=memory.step_of(d))
