"""The pass `loops`: each kernel as loops over operands, whose elements lie so many strides apart along each dim."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.compiler.costs import once
from rushlight.compiler.passes.bodies import Apply, Body, Constant, Gather, Given, Place, Read, Reduce, Size, Write
from rushlight.compiler.passes.forms import KernelOperand, Nest, Schedule, View
from rushlight.core.dtypes import int8
from rushlight.program.affine import Atom, Index, Lin, is_zero
from rushlight.program.loops import LoopsBuilder, Node, Store
from rushlight.program.sym import Int, Sym


def loops(bodies: Schedule[Body]) -> Schedule[Nest]:
    """The loop nests of the kernels."""
    return bodies.with_kernels([_Lowering(body).nest() for body in bodies.kernels()])


class _Lowering:
    """Makes one nest."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.out = LoopsBuilder(len(body.kept), len(body.reduced) or int(body.sweeps))
        self.operands: list[KernelOperand] = []
        self.scalars: list[tuple[str, Int]] = []  # ("sym", Int) or ("input", k)
        self.nodes: list[Node | None] = []  # of each entry
        self._reduced = frozenset(body.reduced)
        self._windows = any(isinstance(e, Reduce) and e.name.startswith("window_") for e in body.entries)

    def nest(self) -> Nest:
        body = self.body
        # A band's result comes first among the operands: its strides decide which dim the vectors lie along.
        for e in body.entries:
            if isinstance(e, Write) and e.mode == "band":
                self.operand(e, e.view, e.at, "F")
        for e in body.entries:
            self.nodes.append(_RULES[type(e)](self, e))
        return Nest(
            self.out.build(once), body.kept, body.reduced, body.size_of, tuple(self.operands), tuple(self.scalars)
        )

    # -- operands ----------------------------------------------------------------------------------------------------
    def level(self, index: Index) -> str:
        return "K" if self.body.sweeps and all(self._reduced.isdisjoint(lin.terms) for lin in index) else "F"

    def operand(self, e: Read | Gather | Write, view: View, index: Index, level: str) -> int:
        """The operand that is this view at an index; what is read alike is one."""
        lin, write = Lin.at(view.offset, index, view.strides), isinstance(e, Write)
        if not write:
            for k, (o, p) in enumerate(zip(self.operands, self.out.operands, strict=True)):
                alike = not o.write and o.buffer == view.buffer and o.dtype is e.dtype and p.level == level
                if alike and o.lin.key == lin.key:
                    return k
        at = e.at if isinstance(e, (Read, Write)) and e.whole else None
        self.operands.append(KernelOperand(view.buffer, lin, e.dtype, write, at))
        return self.out.operand(e.dtype.name, level, write)

    def scalar(self, kind: str, value: Int, d: str) -> int:
        key = value.key if isinstance(value, Sym) else value
        for k, ((other, x), name) in enumerate(zip(self.scalars, self.out.scalars, strict=True)):
            if name == d and other == kind and (x.key if isinstance(x, Sym) else x) == key:
                return k
        self.scalars.append((kind, value))
        return self.out.scalar(d)

    def scalars_of(self, sizes: Any) -> Any:
        """The scalars that sizes are, which are symbols or not; None stays."""
        if sizes is None:
            return None
        if isinstance(sizes, tuple):
            return tuple([self.scalars_of(x) for x in sizes])
        return self.scalar("sym", sizes, "int64")

    def args(self, e: Apply | Gather | Reduce | Write) -> tuple[Node, ...]:
        return tuple([n for n in [self.nodes[a] for a in e.args] if n is not None])

    # -- entries -----------------------------------------------------------------------------------------------------
    def write(self, e: Write) -> None:
        *others, value = self.args(e)
        level = self.level(e.at) if e.mode == "store" else "F"
        k = 0 if e.mode == "band" else self.operand(e, e.view, e.at, level)
        param = e.param if e.sizes is None else (e.param, self.scalars_of(e.sizes))
        self.out.stores.append(Store(k, value, level, tuple(others), e.mode, param))

    def read(self, e: Read) -> Node:
        level = self.level(e.at)
        return self.out.node("load", (), e.dtype.name, self.operand(e, e.view, e.at, level), level)

    def given(self, e: Given) -> Node:
        return self.out.node("scalar", (), e.dtype.name, self.scalar("input", e.number, e.dtype.name), "S")

    def constant(self, e: Constant) -> Node:
        return self.out.node("const", (), e.dtype.name, e.value, "S")

    def size(self, e: Size) -> Node:
        return self.number(e.value)

    def number(self, n: Int) -> Node:
        """A size as an int64 value."""
        if not isinstance(n, Sym):
            return self.out.node("const", (), "int64", int(n), "S")
        return self.out.node("scalar", (), "int64", self.scalar("sym", n, "int64"), "S")

    def place(self, e: Place) -> Node:
        lin, sweeps = e.lin, self.body.sweeps
        if lin.terms and not sweeps:
            return self.address(lin, "F")
        total = self.number(lin.offset) if not lin.terms or not is_zero(lin.offset) else None
        for atom, c in lin.terms.items():
            term = self.along(atom)
            if isinstance(c, Sym) or c != 1:
                term = self.out.node("mul", (term, self.number(c)), "int64")
            total = term if total is None else self.out.node("add", (total, term), "int64")
        assert total is not None
        return total

    def address(self, lin: Lin, level: str) -> Node:
        """A place in a buffer of bytes that begins at address 0: its dims then coalesce, and change places, as those
        of any operand.
        """
        k = next((k for k, o in enumerate(self.operands) if o.buffer < 0 and o.lin.key == lin.key), -1)
        if k < 0:
            self.operands.append(KernelOperand(-1, lin, int8, False))
            k = self.out.operand("int8", level, False)
        return self.out.node("place", (), "int64", k, level)

    def along(self, atom: Atom) -> Node:
        """The index along a dim. Windows are visited in the order of memory, so that their dims must not be counted."""
        if self._windows:
            return self.address(Lin({atom: 1}), "F" if atom in self._reduced else "K")
        if atom in self._reduced:
            return self.out.node("index", (), "int64", ("r", self.body.reduced.index(atom)), "F")
        level = "K" if self.body.sweeps else "F"
        return self.out.node("index", (), "int64", ("k", self.body.kept.index(atom)), level)

    def apply(self, e: Apply) -> Node:
        return self.out.node(e.op, self.args(e), e.dtype.name, e.param)

    def gather(self, e: Gather) -> Node:
        level = self.level(e.at)
        operand = self.operand(e, e.view, e.at[e.of_args :], level)
        return self.out.node("gather", self.args(e), e.dtype.name, (operand, self.scalars_of(e.where)), level)

    def reduce(self, e: Reduce) -> Node:
        return self.out.node("reduce", self.args(e), e.dtype.name, e.name, "K")


_RULES: dict[type, Callable[[_Lowering, Any], Node | None]] = {
    Write: _Lowering.write,
    Read: _Lowering.read,
    Given: _Lowering.given,
    Constant: _Lowering.constant,
    Size: _Lowering.size,
    Place: _Lowering.place,
    Apply: _Lowering.apply,
    Gather: _Lowering.gather,
    Reduce: _Lowering.reduce,
}
