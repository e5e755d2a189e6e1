"""The program in clusters: the buffers it needs, and the kernels and calls that fill them, each after those it
needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from rushlight.core.dtypes import dtype
from rushlight.program.affine import Atom, Index, Lin, is_zero
from rushlight.program.ir import Eqn, Program, Var
from rushlight.program.loops import Loops
from rushlight.program.sym import Int, Sym, SymEnv


class View(NamedTuple):
    """A strided view of a buffer, in elements."""

    buffer: int
    offset: Int
    strides: tuple[Int, ...]

    def text(self, env: SymEnv) -> str:
        start = "" if is_zero(self.offset) else f" from {env.adopt(self.offset)}"
        return f"b{self.buffer}{start} by ({', '.join(str(env.adopt(n)) for n in self.strides)})"


class KernelOperand(NamedTuple):
    """An operand of a kernel: buffer, offset and the stride along each atom.

    at: which element of the buffer a visit reads or writes, where that is known: then it touches no other.
    """

    buffer: int
    lin: Lin
    dtype: dtype
    write: bool
    at: Index | None = None


@dataclass(frozen=True)
class Buffer:
    """An alloc to be: `strides` are the symbols of its strides when the core decides them, else contiguous."""

    dtype: dtype
    sizes: tuple[Int, ...]
    strides: tuple[Int, ...]
    output: int | None
    symbols: tuple[int, ...]
    same: int | None = None  # see plan.Alloc


@dataclass(frozen=True)
class FusedKernel:
    """A loop nest over atoms, kept and reduced, with its operands and launch-time scalars.

    scalars: ("sym", a size) or ("input", the number of a scalar input).
    """

    loops: Loops
    kept: tuple[Atom, ...]
    reduced: tuple[Atom, ...]
    size_of: Mapping[Atom, Int]
    operands: tuple[KernelOperand, ...]
    scalars: tuple[tuple[str, Int], ...]

    def touched(self, write: bool) -> Iterator[int]:
        return (o.buffer for o in self.operands if o.write == write and o.buffer >= 0)

    def lines(self, env: SymEnv) -> Iterator[str]:
        """As text, its sizes written in the symbols of `env`."""
        name = {a: f"{kind}{i}" for kind, atoms in (("k", self.kept), ("r", self.reduced)) for i, a in enumerate(atoms)}
        dims = [f"{name[a]} < {env.adopt(self.size_of[a])}" for a in name]
        yield f"kernel over {', '.join(dims) or 'one element'}"
        for o in self.operands:
            terms = [name[a] if is_one(c) else f"{env.adopt(c)} * {name[a]}" for a, c in o.lin.terms.items()]
            if not is_zero(o.lin.offset):
                terms.append(str(env.adopt(o.lin.offset)))
            buffer = f"b{o.buffer}" if o.buffer >= 0 else "addresses"
            yield f"  {'writes' if o.write else 'reads'} {o.dtype.name} {buffer}[{' + '.join(terms) or 0}]"
        yield from (f"  {kind} {env.adopt(value)}" for kind, value in self.scalars)
        yield from (f"  {line}" for line in self.loops.text().splitlines()[1:] if " operand " not in line[:11])


@dataclass(frozen=True)
class Call:
    """A library routine: the equation, and its operands and results as views of buffers."""

    eqn: Eqn
    args: tuple[tuple[View, Var], ...]

    def touched(self, write: bool) -> Iterator[int]:
        n = len(self.eqn.inputs)
        return (v.buffer for v, _ in (self.args[n:] if write else self.args[:n]) if v.buffer >= 0)

    def lines(self, env: SymEnv) -> Iterator[str]:
        """As text, its sizes written in the symbols of `env`."""
        yield f"call {self.eqn.prim.name}"
        for k, (view, x) in enumerate(self.args):
            yield f"  {'reads' if k < len(self.eqn.inputs) else 'writes'} {x.dtype.name} {view.text(env)}"


@dataclass(frozen=True, eq=False)
class Step:
    """A launch or a library call, with the values it makes and needs (for ordering)."""

    work: FusedKernel | Call
    makes: frozenset[Var]
    needs: frozenset[Var]
    after: tuple[Step, ...] = ()
    unless: tuple[int, int] | None = None  # see plan.Launch


@dataclass(frozen=True)
class SeenThroughViews:
    """An output that is an input seen through views: the input's number, and the views outwards from it."""

    var: Var
    index: int
    chain: tuple[Eqn, ...]


@dataclass(frozen=True)
class InBuffer:
    """An output that is a view of a buffer."""

    var: Var
    view: View


@dataclass(frozen=True)
class Clusters:
    """What `cluster` makes of a program.

    env: its sizes, and the strides of inputs and outputs. Buffers are numbered as in a plan: inputs first. in_strides,
    scalar_slots, known, first_slot: the slots that the core fills (see plan.py), the slot of each symbol that it knows
    from the start, and the first that is free. steps: in the order in which they run.
    """

    program: Program
    env: SymEnv
    input_strides: tuple[tuple[Int, ...], ...]
    buffers: tuple[Buffer, ...]
    steps: tuple[Step, ...]
    outputs: tuple[SeenThroughViews | InBuffer, ...]
    in_strides: tuple[int, ...]
    scalar_slots: tuple[int, ...]
    known: Mapping[int, int]
    first_slot: int

    def shape_of(self, buffer: int) -> tuple[Int, ...]:
        first = len(self.program.inputs)
        return self.program.inputs[buffer].shape if buffer < first else self.buffers[buffer - first].sizes

    def strides_of(self, buffer: int) -> tuple[Int, ...]:
        first = len(self.program.inputs)
        return self.input_strides[buffer] if buffer < first else self.buffers[buffer - first].strides

    def __str__(self) -> str:
        n = len(self.program.inputs)
        lines = [f"b{i}: input {v!r}" for i, v in enumerate(self.program.inputs) if v.kind == "tensor"]
        for k, b in enumerate(self.buffers):
            what = "buffer" if b.output is None else f"output {b.output}"
            lines.append(f"b{n + k}: {what} {b.dtype.name}[{', '.join(map(str, b.sizes))}]")
        for step in self.steps:
            lines += step.work.lines(self.env)
        for k, o in enumerate(self.outputs):
            if isinstance(o, InBuffer):
                lines.append(f"output {k} is {o.view.text(self.env)}")
            else:
                views = "".join(f", {e.prim.name}" for e in o.chain)
                lines.append(f"output {k} is input {o.index}{views}")
        return "\n".join(lines)

    def check(self) -> None:
        """AssertionError where a step reads what nothing before it has written, or a kernel's parts disagree."""
        n = len(self.program.inputs)
        written = {i for i, v in enumerate(self.program.inputs) if v.kind == "tensor"}
        for i, step in enumerate(self.steps):
            work = step.work
            assert all(a in self.steps[:i] for a in step.after), f"step {i} runs before one that it must follow"
            for b in work.touched(False):
                assert b in written, f"step {i} reads buffer b{b}, which nothing has written"
            for b in work.touched(True):
                assert b >= n and b < n + len(self.buffers), f"step {i} writes b{b}, which is no buffer"
            written.update(work.touched(True))
            if isinstance(work, FusedKernel):
                assert len(work.operands) == len(work.loops.operands), f"step {i}: operands"
                assert len(work.scalars) == len(work.loops.scalars), f"step {i}: scalars"
                dims = {*work.kept, *work.reduced}
                for o, p in zip(work.operands, work.loops.operands, strict=True):
                    assert set(o.lin.terms) <= dims, f"step {i}: an operand varies along a dim that is not the kernel's"
                    assert (o.dtype.name, o.write) == (p.dtype, p.write), f"step {i}: {o} and {p}"
        for k, out in enumerate(self.outputs):
            assert not isinstance(out, InBuffer) or out.view.buffer in written, f"output {k} is never written"


def is_one(n: Int) -> bool:
    return not isinstance(n, Sym) and n == 1


def ordered(steps: list[Step]) -> tuple[Step, ...] | None:
    """The steps, each after those it depends on (the earliest-made program value first among those that are ready);
    None where they need one another's results.

    steps: planned from the last value backwards.
    """
    made_by: dict[Var, list[Step]] = {}
    for s in steps:
        for v in s.makes:
            made_by.setdefault(v, []).append(s)
    waits = {s: {t for v in s.needs for t in made_by.get(v, ()) if t is not s} | set(s.after) for s in steps}
    left = steps[::-1]
    out: list[Step] = []
    finished: set[Step] = set()
    while left:
        ready = [s for s in left if waits[s] <= finished]
        if not ready:
            return None
        out += ready
        finished.update(ready)
        left = [s for s in left if s not in finished]
    return tuple(out)
