"""The values of a kernel at one kept index, and of a sweep over the reduced dims there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rushlight.compiler.costs import DIVISIONS, cost_of
from rushlight.compiler.emit import functions, memory, philox, scalar
from rushlight.compiler.emit.frame import Frame
from rushlight.compiler.emit.pointwise import pointwise
from rushlight.compiler.emit.scalar import Value
from rushlight.compiler.llvm import ir, machine
from rushlight.compiler.llvm.ir import I32, I64
from rushlight.compiler.llvm.lanes import lanes_of, splat
from rushlight.compiler.vecmath import division
from rushlight.compiler.vecmath.base import Kit
from rushlight.core.dtypes import by_name
from rushlight.program.loops import LANES, Node, Store


def compute(f: Frame, node: Node, values: Mapping[int, Value], lanes: int, axis: memory.Axis | None) -> Value:
    """Emit a node that is neither a load nor an index; `axis` says which lanes exist."""
    if node.op == "const":
        return scalar.constant(by_name[node.dtype], node.param, lanes)
    args = [[splat(f.b, x, lanes) for x in values[a.id]] for a in node.args]
    dst = by_name[node.dtype]
    if node.op == "random_bits":
        return philox.random_bits(f.b, args, node, lanes)
    data = by_name[(node.args[1] if node.op == "select" else node.args[0]).dtype]
    if cost_of(node.op).called and data.kind == "f":
        return scalar.round_half(f.b, [functions.call(f.b, node.op, [a[0] for a in args], node.param)], dst)
    if node.op in DIVISIONS and data.kind in "ui":
        memory.check_divisor(f, args[1][0], axis)
    return pointwise(f.b, node.op, args, data, dst)


def divided(f: Frame, node: Node, x: ir.Value, divisor: division.Divisor) -> Value:
    """Emit a division of floats by a number that is the same for many vectors."""
    kit = Kit(f.b, x.type)
    spread = divisor.map(lambda part: kit.f(splat(f.b, part.v, lanes_of(x))))
    return scalar.round_half(f.b, [division.quotient(kit.f(x), spread).v], by_name[node.dtype])


def divisors(f: Frame, nodes: Sequence[Node], fixed: Mapping[int, Value]) -> dict[int, division.Divisor]:
    """What the quotients of a sweep's nodes need to know of divisors that are `fixed`, the same all along it.

    Without AVX-512 a division costs little more than what would replace it.
    """
    if not machine.masks():
        return {}
    needed = {n.args[1].id for n in nodes if n.op == "div" and by_name[n.dtype].kind == "f"}
    return {k: division.divisor(Kit(f.b, x[0].type).f(x[0])) for k, x in fixed.items() if k in needed}


def launch_values(f: Frame) -> dict[int, Value]:
    """The values of the nodes that are computed once a launch."""
    known = {n.id: f.scalars[n.param] for n in f.loops.nodes if n.op == "scalar"}
    for n in f.loops.nodes:
        if n.level == "S" and n.op != "scalar":
            known[n.id] = compute(f, n, known, 0, None)
    return known


class Item:
    """One kept index, or a vector of columns from it on: the operands' pointers there, and the values of nodes of
    levels S and K, which are emitted once, when they are first asked for.

    columns: the axis of the vectors, where they lie along the innermost kept dim.
    """

    def __init__(
        self,
        frame: Frame,
        base: Sequence[ir.Value],
        index: Sequence[ir.Value],
        known: Mapping[int, Value],
        columns: memory.Axis | None = None,
        divisors: Mapping[int, division.Divisor] | None = None,
    ) -> None:
        self.frame, self.base, self.index, self.columns = frame, list(base), list(index), columns
        self._known = dict(known)
        self._divisors = dict(divisors or {})

    @property
    def known(self) -> Mapping[int, Value]:
        """The values so far, by the node's number."""
        return self._known

    def at(self, base: Sequence[ir.Value], index: Sequence[ir.Value], columns: memory.Axis) -> Item:
        """The same values at other columns."""
        return Item(self.frame, base, index, self._known, columns, self._divisors)

    def within(self, frame: Frame) -> Item:
        """The same values in another frame of the function."""
        return Item(frame, self.base, self.index, self._known, self.columns, self._divisors)

    @property
    def axis(self) -> memory.Axis:
        """The axis of the columns, which an item of columns has."""
        assert self.columns is not None
        return self.columns

    def settle(self, node: Node, value: Value) -> None:
        """What a reduction has come to."""
        self._known[node.id] = value

    def value(self, node: Node) -> Value:
        """The value of an S or K node (emitted in the item's straight line, once)."""
        if node.id not in self._known:
            for a in node.args:
                self.value(a)
            self._known[node.id] = self._emit(node)
        return self._known[node.id]

    def _emit(self, n: Node) -> Value:
        f, columns = self.frame, self.columns
        if n.op == "load":
            if columns is not None:
                return columns.load(self.base[n.param], n.param)
            return memory.load_scalar(f.b, self.base[n.param], f.dtypes[n.param])
        lanes = LANES if columns is not None else 0
        if n.op == "place":
            at = self.base[n.param]
            return [f.b.ptrtoint(at, I64) if columns is None else columns.place(at, n.param)]
        if n.op == "index":
            d = n.param[1]
            if columns is not None and d == f.K - 1:
                return [columns.iota(self.index[d])]
            return [splat(f.b, self.index[d], lanes)]
        if n.op == "gather":
            return memory.gather(f, n, self.base[n.param[0]], [self._known[a.id] for a in n.args], columns)
        if n.op == "reduce":
            raise AssertionError("a reduction is used before its sweep")
        return compute(f, n, self._known, lanes, columns)

    def store(self, store: Store) -> None:
        """Emit a store of kept level."""
        value, f = self.value(store.value), self.frame
        if self.columns is not None:
            value = [splat(f.b, x, LANES) for x in value]
            self.columns.store(value, self.base[store.operand], store.operand)
        else:
            memory.store_scalar(f.b, value, self.base[store.operand], f.dtypes[store.operand])

    # -- sweeps ------------------------------------------------------------------------------------------------------
    def sweep_nodes(self, roots: Sequence[Node]) -> list[Node]:
        """The F nodes that a sweep must emit, in order; emits the S and K values they need first."""
        found: dict[int, Node] = {}
        work = list(roots)
        outer = []
        while work:
            n = work.pop()
            if n.id in found:
                continue
            if n.level != "F":
                outer.append(n)
                continue
            found[n.id] = n
            work.extend(n.args)
        for n in sorted(outer, key=lambda n: n.id):
            self.value(n)
        nodes = [found[k] for k in sorted(found)]
        self._divisors.update(divisors(self.frame, nodes, {n.id: self._known[n.id] for n in outer if n.level == "S"}))
        return nodes

    def sweep(
        self,
        nodes: list[Node],
        values: dict[int, Value],
        lanes: int,
        axis: memory.Axis | None,
        pointer: Callable[[int], ir.Value],
        rows: Mapping[int, division.Divisor] | None = None,
    ) -> dict[int, Value]:
        """Emit F nodes whose loads and indices are in `values` already; `pointer(k)` addresses operand k for
        gathers; `rows` are the divisors that are known beside those of the launch.
        """
        f = self.frame
        env = {**self._known, **values}
        known = {**self._divisors, **(rows or {})}
        for n in nodes:
            if n.id in values:
                continue
            if n.op == "gather" and axis is not None and all(f.variant.uniform(a) for a in n.args):
                p = memory.gather_place(f, n, pointer(n.param[0]), [env[a.id][0] for a in n.args])
                env[n.id] = axis.load(p, n.param[0])
            elif n.op == "gather":
                p = pointer(n.param[0])
                indices = [[splat(f.b, x, lanes) for x in env[a.id]] for a in n.args]
                env[n.id] = memory.gather(f, n, p, indices, axis)
            elif lanes and n.op == "div" and n.args[1].id in known:
                x = splat(f.b, env[n.args[0].id][0], lanes)
                env[n.id] = divided(f, n, x, known[n.args[1].id])
            else:
                env[n.id] = compute(f, n, env, lanes, axis)
        return env


def one_lane(f: Frame, v: Value) -> Value:
    return [f.b.extract_element(x, I32(0)) if lanes_of(x) else x for x in v]


def operands_of(nodes: Sequence[Node], stores: Sequence[Store] = ()) -> list[int]:
    """The operands that a sweep over these nodes reads, and those of the stores."""
    read = {n.param[0] if n.op == "gather" else n.param for n in nodes if n.op in ("load", "place", "gather")}
    return sorted(read | {s.operand for s in stores})
