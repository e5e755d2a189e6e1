"""The loop IR: one kernel is an iteration space (kept dimensions, then reduced dimensions) and stages over it.

A kernel is a small graph of `Node`s and the stores that it feeds. A node has a level: "S" is computed once a launch,
"K" once per kept index, "F" once per full (kept and reduced) index. A reduction takes an F (or K, S) value to a K
value; `stages` orders reductions so that each stage is one sweep over the reduced dimensions. The text of a kernel is
canonical: two kernels with the same text compute the same thing, so it is what the kernel cache hashes.

The order of every reduction is part of the IR, and is fixed by the number of reduced elements alone: element i of a
chunk of CHUNK elements belongs to block i // BLOCK and lane i % LANES; each lane of a block accumulates in sequence
from the identity, blocks are added lane by lane in sequence, and the lanes meet in a fixed tree (j with j + 8, + 4, +
2, + 1). The chunks' results are combined in the same way: chunk c goes to lane c % LANES, in sequence, and the lanes
meet in the tree. Reductions of windows ("window_sum" and its family) are in sequence from the identity, and always have
the kept elements along the vector axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rushlight.core.launch import CHUNK as CHUNK  # which splits launches by it

LANES = 16
BLOCK = 2048

SEQUENTIAL = ("scan", "band", "scatter")  # stages that visit reduced elements one at a time, in order
_ORDER = {"S": 0, "K": 1, "F": 2}


class Node:
    """A value of a kernel: an operation, its arguments, its dtype's name, its level and a static parameter."""

    __slots__ = ("args", "depth", "dtype", "id", "level", "op", "param")

    def __init__(self, id: int, op: str, args: tuple[Node, ...], dtype: str, level: str, param: Any) -> None:
        self.id, self.op, self.args, self.dtype, self.level, self.param = id, op, args, dtype, level, param
        below = max([a.depth for a in args]) if args else 0
        # The sweep after which a value is known: a reduction needs one sweep more than its arguments.
        self.depth: int = below + 1 if op == "reduce" else below

    def __repr__(self) -> str:
        args = ", ".join(f"%{a.id}" for a in self.args)
        param = "" if self.param is None else f" {self.param!r}"
        return f"%{self.id}: {self.dtype} {self.level} = {self.op}({args}){param}"


@dataclass(frozen=True)
class Operand:
    """A buffer that a kernel reads or writes: dtype name, level ("K": it has no extent along reduced dims),
    direction.
    """

    dtype: str
    level: str
    write: bool


@dataclass(frozen=True)
class Store:
    """Write `value` to operand `operand`; a scatter store has index nodes, combines by `mode` and runs in sequence."""

    operand: int
    value: Node
    level: str
    index: tuple[Node, ...] = ()
    mode: str = "store"
    param: Any = None

    @property
    def depth(self) -> int:
        return max([self.value.depth, *(i.depth for i in self.index)])


@dataclass(frozen=True, eq=False)
class Loops:
    """One kernel.

    Attributes: kept, reduced (ranks before coalescing); operands; scalars (dtype names of the launch-time scalars);
    nodes, which the stores need, in order; stores; coalesce (False when a node reads index values, so that dims must
    stay as they are).
    """

    kept: int
    reduced: int
    operands: tuple[Operand, ...]
    scalars: tuple[str, ...]
    nodes: tuple[Node, ...]
    stores: tuple[Store, ...]
    coalesce: bool

    @cached_property
    def reduces(self) -> tuple[Node, ...]:
        """The reductions, in order."""
        return tuple([n for n in self.nodes if n.op == "reduce"])

    def stages(self) -> Iterator[tuple[list[Node], list[Store]]]:
        """(reductions, full-level stores) of each sweep over the reduced dims, in order; kept-level stores come
        last.
        """
        full = [s for s in self.stores if s.level == "F"]
        for d in range(max([n.depth for n in self.reduces] + [s.depth + 1 for s in full], default=0)):
            stage = [n for n in self.reduces if n.depth == d + 1], [s for s in full if s.depth == d]
            if stage[0] or stage[1]:
                yield stage

    @property
    def has_reduction(self) -> bool:
        """Whether a store needs a reduction."""
        return bool(self.reduces)

    @property
    def in_sequence(self) -> bool:
        """Whether the reductions are those of windows, which visit one element after the other; a kernel has only such
        reductions, or none.
        """
        return any(n.param.startswith("window_") for n in self.reduces)

    @cached_property
    def splittable(self) -> bool:
        """Whether chunks of the reduced elements may be reduced by separate work items."""
        return (
            bool(self.reduced)
            and not self.in_sequence
            and all(s.level == "K" and not s.index for s in self.stores)
            and all(n.depth == 1 for n in self.reduces)
            and self.has_reduction
        )

    @cached_property
    def wide(self) -> bool:
        """Whether a work item may take several vectors of columns: one sweep, whose kept-level operands are loads."""
        return (
            self.splittable
            and len(self.reduces) <= 2
            and not any(
                m.level == "K" and m.op not in ("load", "index", "convert")
                for r in self.reduces
                for m in _below(r.args[0])
            )
        )

    def text(self) -> str:
        """The canonical text, which the cache hashes."""
        lines = [
            f"kernel kept={self.kept if not self.coalesce else '*'} "
            f"reduced={self.reduced if not self.coalesce else bool(self.reduced)}"
        ]
        lines += [f"  operand {i}: {o.dtype} {o.level}{' out' if o.write else ''}" for i, o in enumerate(self.operands)]
        lines += [f"  scalar {i}: {s}" for i, s in enumerate(self.scalars)]
        lines += [f"  {n!r}" for n in self.nodes]
        for s in self.stores:
            index = f"[{', '.join(f'%{i.id}' for i in s.index)}]" if s.index else ""
            lines.append(
                f"  {s.mode} {s.level} operand {s.operand}{index} = "
                f"%{s.value.id}{'' if s.param is None else f' {s.param!r}'}"
            )
        return "\n".join(lines)

    __str__ = text

    def check(self) -> None:
        """AssertionError where a node uses a later one, or a level or an operand is not what it must be."""
        seen: set[int] = set()
        for n in self.nodes:
            assert seen.issuperset(a.id for a in n.args), f"{n!r} uses a value that is not computed yet in\n{self}"
            assert n.id not in seen, f"{n!r} is there twice in\n{self}"
            highest = max((_ORDER[a.level] for a in n.args), default=0)
            if n.op == "reduce":
                assert n.level == "K" and self.reduced, f"{n!r}: a reduction is one value per kept index in\n{self}"
            else:
                assert _ORDER[n.level] >= highest, f"{n!r} is of a lower level than its arguments in\n{self}"
            if n.op in ("load", "place", "gather"):
                k = n.param[0] if n.op == "gather" else n.param
                assert 0 <= k < len(self.operands), f"{n!r}: there is no operand {k} in\n{self}"
            seen.add(n.id)
        for s in self.stores:
            assert seen.issuperset(n.id for n in (s.value, *s.index)), f"a store of what is not computed in\n{self}"
            assert self.operands[s.operand].write, f"a store to operand {s.operand}, which is read alone, in\n{self}"


class LoopsBuilder:
    """One kernel under construction. Attributes as those of `Loops`."""

    def __init__(self, kept: int, reduced: int) -> None:
        self.kept, self.reduced = kept, reduced
        self.operands: list[Operand] = []
        self.scalars: list[str] = []
        self.stores: list[Store] = []
        self._nodes: list[Node] = []
        self._coalesce = True
        self._seen: dict[Any, Node] = {}

    def node(self, op: str, args: tuple[Node, ...], dtype: str, param: Any = None, level: str | None = None) -> Node:
        """The node of this operation, made once. `level` defaults to the highest of the arguments' levels."""
        known = self._known(op, args)
        if known is not None:
            return self.node("const", (), dtype, known)
        if level is None:
            level = max([a.level for a in args], key=_ORDER.__getitem__) if args else "S"
        key = (op, tuple([a.id for a in args]), dtype, level, None if param is None else repr(param))
        found = self._seen.get(key)
        if found is None:
            found = self._seen[key] = Node(len(self._nodes), op, args, dtype, level, param)
            self._nodes.append(found)
            if op == "index":
                self._coalesce = False
        return found

    @staticmethod
    def _known(op: str, args: tuple[Node, ...]) -> bool | None:
        """A truth value that is the same for all elements: whether an integer equals itself, and what follows from
        that; operands that nothing else reads need not be read then.
        """
        if op in ("eq", "ne") and args[0] is args[1] and args[0].dtype.startswith(("int", "uint", "bool")):
            return op == "eq"
        if op in ("not_", "or_", "and_") and all(a.op == "const" and a.dtype == "bool" for a in args):
            values = [bool(a.param) for a in args]
            return not values[0] if op == "not_" else any(values) if op == "or_" else all(values)
        return None

    def operand(self, dtype: str, level: str, write: bool) -> int:
        self.operands.append(Operand(dtype, level, write))
        return len(self.operands) - 1

    def scalar(self, dtype: str) -> int:
        self.scalars.append(dtype)
        return len(self.scalars) - 1

    def build(self, expensive: Callable[[str], bool]) -> Loops:
        """The kernel. expensive: whether an operation costs too much to be computed in two sweeps."""
        self._keep_in_output(expensive)
        return Loops(
            self.kept,
            self.reduced,
            tuple(self.operands),
            tuple(self.scalars),
            tuple(self._live()),
            tuple(self.stores),
            self._coalesce,
        )

    def _live(self) -> list[Node]:
        """The nodes that the stores need, in order."""
        needed: set[int] = set()
        for s in self.stores:
            needed.update(n.id for n in (s.value, *s.index))
        for n in reversed(self._nodes):
            if n.id in needed:
                needed.update([a.id for a in n.args])
        return [n for n in self._nodes if n.id in needed]

    def _keep_in_output(self, expensive: Callable[[str], bool]) -> None:
        """Keep an expensive value that two sweeps need in the output's own row, instead of computing it twice.

            sum += e(x); ...; out = e(x) / sum   ->   sum += e(x), out = e(x); ...; out = out / sum

        The output may be the input itself (in place), so no later sweep may read anything else at full level.
        """
        full = [s for s in self.stores if s.level == "F"]
        if not full or not any(n.op == "reduce" for n in self._nodes):
            return
        reduces = [n for n in self._live() if n.op == "reduce"]
        for at, s in enumerate(self.stores):
            if s.level != "F" or s.mode != "store" or s.value.dtype not in ("float32", "float64"):
                continue
            for n in _full_nodes([s.value]):
                if not expensive(n.op) or n.dtype != s.value.dtype or n.depth >= s.depth:
                    continue
                if not any(r.depth == n.depth + 1 and n in _full_nodes([r.args[0]]) for r in reduces):
                    continue
                load = self.node("load", (), n.dtype, s.operand, "F")
                value = self._replaced(s.value, n, load)
                later = [r.args[0] for r in reduces if r.depth > n.depth + 1]
                later += [o.value for o in full if o is not s and o.depth > n.depth]
                if not any(m.op in ("load", "gather") and m is not load for m in _full_nodes([value, *later])):
                    self.stores[at : at + 1] = [Store(s.operand, n, "F"), Store(s.operand, value, "F")]
                    return

    def _replaced(self, root: Node, old: Node, new: Node) -> Node:
        done: dict[int, Node] = {old.id: new}
        for n in _full_nodes([root]):
            if n.id not in done:
                args = tuple(done.get(a.id, a) for a in n.args)
                done[n.id] = n if args == n.args else self.node(n.op, args, n.dtype, n.param, n.level)
        return done[root.id]


def _full_nodes(roots: Sequence[Node]) -> list[Node]:
    """The F nodes that a sweep for these values computes, in order."""
    return _found(roots, "F")


def _below(root: Node) -> list[Node]:
    """All nodes that a value is computed from, itself included."""
    return _found([root], "SKF")


def _found(roots: Sequence[Node], levels: str) -> list[Node]:
    found: dict[int, Node] = {}
    work = list(roots)
    while work:
        n = work.pop()
        if n.level in levels and n.id not in found:
            found[n.id] = n
            work.extend(n.args)
    return [found[k] for k in sorted(found)]
