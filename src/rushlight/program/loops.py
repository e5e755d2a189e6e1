"""The loop IR: one kernel is an iteration space (kept dimensions, then reduced dimensions) and stages over it.

A kernel is a small graph of `Node`s and the stores that it feeds. A node has a level: "S" is computed once a launch,
"K" once per kept index, "F" once per full (kept and reduced) index. A reduction takes an F (or K, S) value to a K
value; `stages` orders reductions so that each stage is one sweep over the reduced dimensions. The text of a kernel is
canonical: two kernels with the same text compute the same thing, so it is what the kernel cache hashes.

The order of every reduction is part of the IR, and is fixed by the number of reduced elements alone: element i of a
chunk of CHUNK elements belongs to block i // BLOCK and lane i % LANES; each lane of a block accumulates in sequence
from the identity, blocks are added lane by lane in sequence, and the lanes meet in a fixed tree (j with j + 8, + 4, +
2, + 1). The chunks' results are combined in the same way: chunk c goes to lane c % LANES, in sequence, and the lanes
meet in the tree. Reductions of windows ("window_sum" and its kin) are in sequence from the identity, and always have
the kept elements along the vector axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
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
        # The sweep a value becomes known after: a reduction needs one sweep more than its arguments.
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


@dataclass
class Loops:
    """One kernel under construction, and its canonical text.

    Attributes: kept, reduced (ranks before coalescing); operands; scalars (dtype names of the launch-time scalars);
    nodes in order; stores; coalesce (False when a node reads index values, so that dims must stay as they are).
    """

    kept: int
    reduced: int
    operands: list[Operand] = field(default_factory=list)
    scalars: list[str] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    stores: list[Store] = field(default_factory=list)
    coalesce: bool = True
    _seen: dict[Any, Node] = field(default_factory=dict)

    def node(self, op: str, args: tuple[Node, ...], dtype: str, param: Any = None, level: str | None = None) -> Node:
        """The node of this operation, made once. `level` defaults to the highest of the arguments' levels."""
        if level is None:
            level = max([a.level for a in args], key=_ORDER.__getitem__) if args else "S"
        key = (op, tuple([a.id for a in args]), dtype, level, None if param is None else repr(param))
        found = self._seen.get(key)
        if found is None:
            found = self._seen[key] = Node(len(self.nodes), op, args, dtype, level, param)
            self.nodes.append(found)
            if op == "index":
                self.coalesce = False
        return found

    def operand(self, dtype: str, level: str, write: bool) -> int:
        self.operands.append(Operand(dtype, level, write))
        return len(self.operands) - 1

    def scalar(self, dtype: str) -> int:
        self.scalars.append(dtype)
        return len(self.scalars) - 1

    def live(self) -> list[Node]:
        """The nodes that the stores need, in order."""
        needed: set[int] = set()
        for s in self.stores:
            needed.update(n.id for n in (s.value, *s.index))
        for n in reversed(self.nodes):
            if n.id in needed:
                needed.update(a.id for a in n.args)
        return [n for n in self.nodes if n.id in needed]

    def stages(self) -> Iterator[tuple[list[Node], list[Store]]]:
        """(reductions, full-level stores) of each sweep over the reduced dims, in order; kept-level stores come
        last.
        """
        reduces = [n for n in self.live() if n.op == "reduce"]
        full = [s for s in self.stores if s.level == "F"]
        for d in range(max([n.depth for n in reduces] + [s.depth + 1 for s in full], default=0)):
            stage = [n for n in reduces if n.depth == d + 1], [s for s in full if s.depth == d]
            if stage[0] or stage[1]:
                yield stage

    def keep_in_output(self, dear: Callable[[str], bool]) -> None:
        """Keep a dear value that two sweeps need in the output's own row, instead of computing it twice.

            sum += e(x); ...; out = e(x) / sum   ->   sum += e(x), out = e(x); ...; out = out / sum

        The output may be the input itself (in place), so no later sweep may read anything else at full level.
        """
        for at, s in enumerate(self.stores):
            if s.level != "F" or s.mode != "store" or s.value.dtype not in ("float32", "float64"):
                continue
            for n in self._full_nodes(s.value):
                if (
                    not dear(n.op)
                    or n.dtype != s.value.dtype
                    or n.depth >= s.depth
                    or not any(
                        r.op == "reduce" and r.depth == n.depth + 1 and n in self._full_nodes(r.args[0])
                        for r in self.live()
                    )
                ):
                    continue
                load = self.node("load", (), n.dtype, s.operand, "F")
                later = [r.args[0] for r in self.live() if r.op == "reduce" and r.depth > n.depth + 1]
                later += [o.value for o in self.stores if o is not s and o.level == "F" and o.depth > n.depth]
                value = self._replaced(s.value, n, load)
                if any(
                    m.op in ("load", "gather") and m is not load
                    for root in [value, *later]
                    for m in self._full_nodes(root)
                ):
                    continue
                self.stores[at] = Store(s.operand, value, "F")
                self.stores.insert(at, Store(s.operand, n, "F"))
                return

    @staticmethod
    def _full_nodes(root: Node) -> list[Node]:
        """The F nodes that a sweep for `root` computes."""
        found: dict[int, Node] = {}
        work = [root]
        while work:
            n = work.pop()
            if n.level == "F" and n.id not in found:
                found[n.id] = n
                work.extend(n.args)
        return [found[k] for k in sorted(found)]

    def _replaced(self, root: Node, old: Node, new: Node) -> Node:
        done: dict[int, Node] = {old.id: new}
        for n in self._full_nodes(root):
            if n.id not in done:
                args = tuple(done.get(a.id, a) for a in n.args)
                done[n.id] = n if args == n.args else self.node(n.op, args, n.dtype, n.param, n.level)
        return done[root.id]

    @property
    def has_reduction(self) -> bool:
        """Whether a store needs a reduction."""
        return any(n.op == "reduce" for n in self.live())

    @property
    def in_sequence(self) -> bool:
        """Whether the reductions are those of windows, each element after the one before; a kernel has such reductions
        alone, or none.
        """
        return any(n.op == "reduce" and n.param.startswith("window_") for n in self.nodes)

    @property
    def splittable(self) -> bool:
        """Whether chunks of the reduced elements may be reduced by separate work items."""
        return (
            bool(self.reduced)
            and not self.in_sequence
            and all(s.level == "K" and not s.index for s in self.stores)
            and all(n.depth == 1 for n in self.nodes if n.op == "reduce")
            and any(n.op == "reduce" for n in self.live())
        )

    @property
    def wide(self) -> bool:
        """Whether a work item may take several vectors of columns: one sweep, whose kept-level operands are loads."""
        reduces = [n for n in self.live() if n.op == "reduce"]
        return (
            self.splittable
            and len(reduces) <= 2
            and not any(
                m.level == "K" and m.op not in ("load", "index", "convert")
                for r in reduces
                for m in self._below(r.args[0])
            )
        )

    @staticmethod
    def _below(root: Node) -> list[Node]:
        found: dict[int, Node] = {}
        work = [root]
        while work:
            n = work.pop()
            if n.id not in found:
                found[n.id] = n
                work.extend(n.args)
        return list(found.values())

    def text(self) -> str:
        """The canonical text, which the cache hashes."""
        lines = [
            f"kernel kept={self.kept if not self.coalesce else '*'} "
            f"reduced={self.reduced if not self.coalesce else bool(self.reduced)}"
        ]
        lines += [f"  operand {i}: {o.dtype} {o.level}{' out' if o.write else ''}" for i, o in enumerate(self.operands)]
        lines += [f"  scalar {i}: {s}" for i, s in enumerate(self.scalars)]
        lines += [f"  {n!r}" for n in self.live()]
        for s in self.stores:
            index = f"[{', '.join(f'%{i.id}' for i in s.index)}]" if s.index else ""
            lines.append(
                f"  {s.mode} {s.level} operand {s.operand}{index} = "
                f"%{s.value.id}{'' if s.param is None else f' {s.param!r}'}"
            )
        return "\n".join(lines)
