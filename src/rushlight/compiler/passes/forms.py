"""The form that a program has from `cluster` on: buffers, and the works that fill them, in order.

A work is a library call, or what a kernel does; that is first a `Cluster` (which values it computes), then a body (at
which index it computes each: `bodies.py`), then a `Nest` (its loops, as `program/loops.py` has them).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from rushlight.core.dtypes import dtype
from rushlight.program.affine import Atom, Index, Lin, is_zero
from rushlight.program.ir import Eqn, Program, Var
from rushlight.program.loops import Loops
from rushlight.program.sym import Int, Sym, SymEnv


class Namer(Protocol):
    """How a text calls values and sizes."""

    def value(self, v: Var) -> str:
        """A value of the program."""

    def size(self, n: Int) -> str:
        """A size, in the symbols of the form."""


class Work(Protocol):
    """What one step does."""

    def touched(self, write: bool) -> Iterator[int]:
        """The buffers that it reads, or writes."""

    def lines(self, name: Namer) -> Iterator[str]:
        """As text."""

    def check(self) -> None:
        """AssertionError where its parts disagree."""


W = TypeVar("W", bound=Work)
V = TypeVar("V", bound=Work)


class View(NamedTuple):
    """A strided view of a buffer, in elements."""

    buffer: int
    offset: Int
    strides: tuple[Int, ...]

    def text(self, name: Namer) -> str:
        start = "" if is_zero(self.offset) else f" from {name.size(self.offset)}"
        return f"b{self.buffer}{start} by ({', '.join(map(name.size, self.strides))})"


class Lying(NamedTuple):
    """An input, and the order of its dims in which its elements may lie row by row."""

    input: int
    order: tuple[int, ...]


@dataclass(frozen=True)
class Buffer:
    """An alloc to be: `strides` are the symbols of its strides when the core decides them, else contiguous.

    pieces: nobody reads it but the kernel that goes on with the pieces of the product that it is. why: what kept its
    value from being computed within the kernels that read it; empty for outputs.
    """

    dtype: dtype
    sizes: tuple[Int, ...]
    strides: tuple[Int, ...]
    output: int | None
    symbols: tuple[int, ...]
    same: int | None = None  # see plan.Alloc
    taken: Lying | None = None
    pieces: bool = False
    joined: tuple[int, ...] = ()  # see plan.Alloc
    why: str = ""


@dataclass(frozen=True)
class Call:
    """A library routine: the equation, and its operands and results as views of buffers.

    then: the kernel that goes on with the pieces of its result.
    """

    eqn: Eqn
    args: tuple[tuple[View, Var], ...]
    then: Nest | None = None

    def touched(self, write: bool) -> Iterator[int]:
        n = len(self.eqn.inputs)
        own = {v.buffer for v, _ in self.args[n:]}
        yield from own if write else (v.buffer for v, _ in self.args[:n])
        if self.then is not None:
            yield from (b for b in self.then.touched(write) if b not in own)

    def lines(self, name: Namer) -> Iterator[str]:
        yield f"call {self.eqn.prim.name}"
        for k, (view, x) in enumerate(self.args):
            yield f"  {'reads' if k < len(self.eqn.inputs) else 'writes'} {x.dtype.name} {view.text(name)}"
        if self.then is not None:
            first, *lines = self.then.lines(name)
            yield f"then {first}"
            yield from lines

    def check(self) -> None:
        for view, x in self.args:
            assert len(view.strides) == x.ndim, f"{self.eqn.prim.name}: {view} is no view of {x}"
        if self.then is not None:
            self.then.check()


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
class Nest:
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

    def lines(self, name: Namer) -> Iterator[str]:
        atoms = names_of(self.kept, self.reduced)
        yield f"kernel over {space_text(atoms, self.size_of, name)}"
        for o in self.operands:
            buffer = f"b{o.buffer}" if o.buffer >= 0 else "addresses"
            yield f"  {'writes' if o.write else 'reads'} {o.dtype.name} {buffer}[{lin_text(o.lin, atoms, name)}]"
        yield from (f"  {kind} {name.size(value)}" for kind, value in self.scalars)
        yield from (f"  {line}" for line in str(self.loops).splitlines()[1:] if " operand " not in line[:11])

    def check(self) -> None:
        assert len(self.operands) == len(self.loops.operands), "operands"
        assert len(self.scalars) == len(self.loops.scalars), "scalars"
        dims = {*self.kept, *self.reduced}
        for o, p in zip(self.operands, self.loops.operands, strict=True):
            assert set(o.lin.terms) <= dims, "an operand varies along a dim that is not the kernel's"
            assert (o.dtype.name, o.write) == (p.dtype, p.write), f"{o} and {p}"
        self.loops.check()


def names_of(kept: Sequence[Atom], reduced: Sequence[Atom]) -> dict[Atom, str]:
    """What texts call atoms: k0, k1 ... r0, r1 ..."""
    return {a: f"{kind}{i}" for kind, atoms in (("k", kept), ("r", reduced)) for i, a in enumerate(atoms)}


def space_text(atoms: Mapping[Atom, str], size_of: Mapping[Atom, Int], name: Namer) -> str:
    return ", ".join([f"{x} < {name.size(size_of[a])}" for a, x in atoms.items()]) or "one element"


def lin_text(lin: Lin, atoms: Mapping[Atom, str], name: Namer) -> str:
    terms = [atoms[a] if is_one(c) else f"{name.size(c)} * {atoms[a]}" for a, c in lin.terms.items()]
    if not is_zero(lin.offset):
        terms.append(name.size(lin.offset))
    return " + ".join(terms) or "0"


@dataclass(frozen=True, eq=False)
class Step(Generic[W]):
    """A launch or a library call.

    after: the numbers of steps that it must follow, whatever it reads. unless: see plan.Launch.
    """

    work: W | Call
    after: tuple[int, ...] = ()
    unless: tuple[int, int] | None = None


@dataclass(frozen=True)
class SeenThroughViews:
    """An output that is an input seen through views: the input's number, and the views outwards from it. copies: see
    plan.Out.
    """

    var: Var
    index: int
    chain: tuple[Eqn, ...]
    copies: bool = False


@dataclass(frozen=True)
class InBuffer:
    """An output that is a view of a buffer."""

    var: Var
    view: View


@dataclass(frozen=True)
class Schedule(Generic[W]):
    """A program as steps over buffers.

    env: its sizes, and the strides of inputs and outputs. Buffers are numbered as in a plan: inputs first. home: where
    each value that has a buffer lies, and the contiguous copy of each that is read through one (`copies`).
    in_strides, scalar_slots, known, first_slot: the slots that the core fills (see plan.py), the slot of each symbol
    that it knows from the start, and the first that is free. steps: in the order in which they run.
    """

    program: Program
    env: SymEnv
    buffers: tuple[Buffer, ...]
    home: Mapping[Var, View]
    copies: Mapping[Var, View]
    steps: tuple[Step[W], ...]
    outputs: tuple[SeenThroughViews | InBuffer, ...]
    in_strides: tuple[int, ...]
    scalar_slots: tuple[int, ...]
    known: Mapping[int, int]
    first_slot: int

    def kernels(self) -> Iterator[W]:
        """The kernels among the steps, in their order."""
        return (s.work for s in self.steps if not isinstance(s.work, Call))

    def with_kernels(self, kernels: Iterable[V]) -> Schedule[V]:
        """The same with these in the place of its kernels, in their order."""
        made = iter(kernels)
        steps = [Step(s.work if isinstance(s.work, Call) else next(made), s.after, s.unless) for s in self.steps]
        return Schedule(
            self.program,
            self.env,
            self.buffers,
            self.home,
            self.copies,
            tuple(steps),
            self.outputs,
            self.in_strides,
            self.scalar_slots,
            self.known,
            self.first_slot,
        )

    def shape_of(self, buffer: int) -> tuple[Int, ...]:
        first = len(self.program.inputs)
        return self.program.inputs[buffer].shape if buffer < first else self.buffers[buffer - first].sizes

    def strides_of(self, buffer: int) -> tuple[Int, ...]:
        first = len(self.program.inputs)
        return (
            self.home[self.program.inputs[buffer]].strides if buffer < first else self.buffers[buffer - first].strides
        )

    def __str__(self) -> str:
        n, name = len(self.program.inputs), _Names(self.program, self.env)
        lines = [f"b{i}: input {v!r}" for i, v in enumerate(self.program.inputs) if v.kind == "tensor"]
        for k, b in enumerate(self.buffers):
            what = "buffer" if b.output is None else f"output {b.output}"
            lines.append(f"b{n + k}: {what} {b.dtype.name}[{', '.join(map(str, b.sizes))}]" + (b.why and f", {b.why}"))
        for step in self.steps:
            lines += step.work.lines(name)
        for k, o in enumerate(self.outputs):
            if isinstance(o, InBuffer):
                lines.append(f"output {k} is {o.view.text(name)}")
            else:
                views = "".join(f", {e.prim.name}" for e in o.chain)
                lines.append(f"output {k} is input {o.index}{views}")
        return "\n".join(lines)

    def check(self) -> None:
        """AssertionError where a step reads what nothing before it has written, or writes what one before it has read;
        or where the parts of its work disagree.
        """
        n = len(self.program.inputs)
        written = {i for i, v in enumerate(self.program.inputs) if v.kind == "tensor"}
        read: set[int] = set()
        for i, step in enumerate(self.steps):
            work = step.work
            assert all(a < i for a in step.after), f"step {i} runs before one that it must follow"
            for b in work.touched(False):
                assert b in written, f"step {i} reads buffer b{b}, which nothing has written"
            for b in work.touched(True):
                assert b >= n and b < n + len(self.buffers), f"step {i} writes b{b}, which is no buffer"
                assert b not in read, f"step {i} writes b{b}, which a step before it has read"
            written.update(work.touched(True))
            read.update(work.touched(False))
            try:
                work.check()
            except AssertionError as error:
                raise AssertionError(f"step {i}: {error}") from None
        for k, out in enumerate(self.outputs):
            assert not isinstance(out, InBuffer) or out.view.buffer in written, f"output {k} is never written"


class _Names:
    """Values by the numbers that the program's own text gives them."""

    def __init__(self, program: Program, env: SymEnv) -> None:
        self._env = env
        made = [v for e in program.eqns for v in (*e.inputs, *e.outputs)]
        self._number = {v: i for i, v in enumerate(dict.fromkeys([*program.inputs, *made]))}

    def value(self, v: Var) -> str:
        return f"%{self._number[v]}" if v in self._number else "a copy"

    def size(self, n: Int) -> str:
        return str(self._env.adopt(n))


def is_one(n: Int) -> bool:
    return not isinstance(n, Sym) and n == 1
