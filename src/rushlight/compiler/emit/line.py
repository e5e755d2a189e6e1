"""Walks along one dim: whole vectors, groups of them, and a tail."""

from __future__ import annotations

from rushlight.compiler.costs import cost_of
from rushlight.compiler.emit import memory
from rushlight.compiler.emit.item import Item
from rushlight.compiler.emit.scalar import Value, memory_type
from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.ir import I32, I64
from rushlight.compiler.llvm.lanes import splat
from rushlight.program.loops import LANES, Node, Store

# bytes: one core's own prefetcher leaves bandwidth unused (where two chunks are read side by side, it does not)
AHEAD = 8192
CACHE_LINE = 64
GROUP = 4  # vectors of a row that are computed side by side


def arithmetic(n: Node) -> bool:
    """Whether a node is that, written in place, or a load."""
    return n.op not in ("index", "place", "gather", "random_bits") and not cost_of(n.op).called


class Line:
    """Walks one dim: element i of operand k is at base + i * stride."""

    def __init__(self, item: Item, nodes: list[Node], stores: list[Store]) -> None:
        f = self.frame = item.frame
        self.item, self.stores = item, stores
        self.loads = [n for n in nodes if n.op == "load"]
        self.indices = [n for n in nodes if n.op == "index"]
        self.places = [n for n in nodes if n.op == "place"]
        # What does not move along the axis is loaded once, before the loop (nothing tells LLVM that stores do not alias
        # it).
        still = [n for n in self.loads if f.classes[n.param] == "b"] if not f.R else []
        self.fixed_scalars = {n.id: memory.load_scalar(f.b, item.base[n.param], f.dtypes[n.param]) for n in still}
        self.fixed = {k: [splat(f.b, x, LANES) for x in v] for k, v in self.fixed_scalars.items()}

    def open(self, i: ir.Value, rem: ir.Value, path: str = "either") -> Vector:
        """The LANES elements from i on, of which `rem` exist."""
        return Vector(self, i, memory.Axis(self.frame, rem, path=path))

    def open_group(self, i: ir.Value, lanes: int) -> Group:
        """`lanes` elements from i on, all of which exist; only where `group` says so."""
        return Group(self, i, lanes)

    def group(self, nodes: list[Node]) -> int:
        """How many vectors a sweep over these nodes takes as one: several if all of it is contiguous, and nothing but
        arithmetic.

        Half as many of complex128 numbers (a vector is four registers, and there are 32) and where functions of float64
        are mapped: their vectors are two registers, which gives chains enough.
        """
        f = self.frame
        operands = {n.param for n in self.loads if n.id not in self.fixed} | {s.operand for s in self.stores}
        if any(f.classes[k] != "c" for k in operands) or not all(map(arithmetic, nodes)):
            return 1
        wide = any(
            n.dtype == "complex128" or n.dtype == "float64" and not cost_of(n.op).cheap and n.level == "F" and not f.R
            for n in nodes
        )
        return GROUP // 2 if wide else GROUP

    def prefetch(self, i: ir.Value, n: int) -> None:
        """Ask for the n elements that lie AHEAD bytes after element i: one core's own prefetcher leaves bandwidth
        unused.
        """
        f = self.frame
        for k in sorted({load.param for load in self.loads if f.classes[load.param] == "c"}):
            size = f.dtypes[k].itemsize
            start = f.b.add(f.b.mul(i, I64(size)), I64(AHEAD))
            for line in range(0, n * size, CACHE_LINE):
                p = f.moved(self.item.base[k], f.b.add(start, I64(line)))
                f.b.intrinsic("prefetch.p0", ir.VOID, [p, I32(0), I32(2), I32(1)])

    def pointer(self, k: int, i: ir.Value) -> ir.Value:
        f = self.frame
        stride = I64(f.dtypes[k].itemsize) if f.classes[k] == "c" else f.strides[k][-1]
        return f.moved(self.item.base[k], f.b.mul(i, stride))


class Vector:
    """LANES elements of a line, from the i-th on: the values of loads and indices there."""

    def __init__(self, line: Line, i: ir.Value, axis: memory.Axis) -> None:
        self.line, self.i, self.axis = line, i, axis
        f, item = line.frame, line.item
        self.values = axis.load_many(
            [(n.id, self.pointer(n.param), n.param) for n in line.loads if n.id not in line.fixed]
        )
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
        for n in line.loads:
            if n.id in line.fixed:
                self.values[n.id] = [splat(f.b, x, lanes) for x in line.fixed_scalars[n.id]]
            else:
                d = f.dtypes[n.param]
                t = ir.vector(memory_type(d), lanes * memory.parts_of(d))
                raw = f.b.load(self.pointer(n.param), typ=t, align=memory.step_of(d))
                self.values[n.id] = memory.unpack(f.b, raw, d)

    def pointer(self, k: int) -> ir.Value:
        return self.line.pointer(k, self.i)

    def close(self, values: list[Value]) -> None:
        """Write what the line's stores write."""
        f = self.line.frame
        for s, v in zip(self.line.stores, values, strict=True):
            d = f.dtypes[s.operand]
            f.b.store(memory.pack(f.b, v, d), self.pointer(s.operand), align=memory.step_of(d))
