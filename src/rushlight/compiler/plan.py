"""The plan: a flat description of a program's launches, which the core turns into C arrays and executes.

At launch the core fills `slots`, an array of int64, in this order: the values of all symbols of the program's
environment (n_sym of them); for each tensor input its strides in elements (from `in_strides[i]`); for each scalar input
two slots (from `scalar_slots[i]`: the bits of a float64, an int64, a bool as 0/1, or the real and imaginary part of a
complex128); the results of `code`, one slot an instruction (from `code_base`); the strides of each alloc
(`Alloc.strides`); the results of `post`. An operand of an instruction is a slot number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rushlight.core.dtypes import dtype

if TYPE_CHECKING:
    from rushlight.compiler.kernels.kernel import Kernel

Code = tuple[str, int, int]  # (op, a, b): op in const (a is the value) add sub mul floordiv mod min max eq lt le


@dataclass(frozen=True)
class Like:
    """An input that takes part in the choice of a result's strides. Of two dimensions the one with the greater stride
    is outside; an input that has one of the strides 0, or both equal, leaves it to the next one, and where none decides
    they stay.

    dims: of each dimension of the result the dimension of the input; None where the input is repeated along it.
    sized: it counts where it turns out to have the result's sizes. dense: what counts is a dense copy of it, which has
    no strides of 0 (in PyTorch a tensor is copied to the dtype that it is computed in).
    """

    input: int
    dims: tuple[int | None, ...]
    sized: bool = False
    dense: bool = False

    def __str__(self) -> str:
        straight = self.dims == tuple(range(len(self.dims)))
        dims = "" if straight else f"[{', '.join('-' if d is None else str(d) for d in self.dims)}]"
        return f"input {self.input}{dims}"


@dataclass(frozen=True)
class Alloc:
    """A buffer to allocate: its sizes; the slots its strides go to; the program output it is, if any.

    The core writes contiguous strides, or the destination's when `output` is given one (out=, in place), or, when
    `like` names inputs, dense strides in the order of dims that these decide; with `columns`, those of
    matrices that lie column by column; with `handed`, channels_last strides where the inputs of its rank have them
    (OF_FIRST: the first input, OF_ANY: one of them, OF_ALL: all), or ALWAYS. Buffers are numbered: inputs first
    (scalars included), then allocs in order.

    reads: of an output, what the plan still wants of each tensor input once the output is being written: nothing
    (FREE); element i, by the visit that writes element i of the output (ALIGNED): the input may be the output itself;
    or anything (ANY): the two may not share memory.

    same: an input of which this is a copy with something around it; where nothing is, that is where the sizes are
    equal, the core takes the input itself, and leaves out the launches that say so (`Launch.unless`).

    taken: an input, and an order of its dimensions: of its elements in that order this is a contiguous copy. Where the
    input lies so already the core takes its memory, and leaves out the launch that copies (`Launch.unless`).

    free: no output, but in the order of dimensions that the operator's results have.

    lives: the first and the last step that touch it; the core allocates it before the one and frees it after the other
    (None: it lies in an output, or is laid as the core decides). None: no step touches it.

    over: a buffer whose memory it takes: its first step is that one's last, which reads each element where it writes.

    spent: likewise, of the tensors among the inputs: where nobody but the call has that, and it lies row by row, the
    core takes its memory.

    joined: of an output, dimensions that with the next one make one dimension of a kernel that writes it: their strides
    fit, or it is laid row by row; a destination whose strides do not is copied to.

    pieces: contiguous, and read by `Library.then` alone: there is memory for it only where that runs on all of it.
    """

    dtype: dtype
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    output: int | None = None
    like: tuple[Like, ...] = ()
    reads: tuple[int, ...] = ()
    columns: bool = False
    handed: int = 0
    same: int | None = None
    free: bool = False
    taken: tuple[int, tuple[int, ...]] | None = None
    lives: tuple[int, int | None] | None = None
    over: int | None = None
    spent: int | None = None
    pieces: bool = False
    joined: tuple[int, ...] = ()


FREE, ALIGNED, ANY = 0, 1, 2
OF_FIRST, OF_ANY, OF_ALL, ALWAYS = 1, 2, 3, 4


@dataclass(frozen=True)
class Operand:
    """A buffer as a kernel sees it: offset (a slot, in elements) and strides (slots, in elements) for kept then reduced
    dims.

    buffer -1 stands for bytes from address 0 on, of which the kernel uses the addresses alone (an index as a number).
    """

    buffer: int
    offset: int
    strides: tuple[int, ...]
    write: bool
    dtype: dtype


@dataclass(frozen=True)
class Loose:
    """The parts of a launch that depend on numbers which a caller writes (`SymEnv.given`): no variant may follow from
    their values.

    Bits are dims, kept then reduced. sizes: dims whose size depends on such a number; one of size 1 stays. apart[d]:
    the dims that lie outside of d and may not be merged with it, since their strides would fit for some values alone.
    steps[o]: the dims along which operand o's stride depends on such a number: the variants for contiguous and strided
    operands are made together. jumps[o]: of these, the dims whose stride is none of the buffer's, but some steps of it:
    it says nothing of the order in which the operand lies.
    """

    sizes: int
    apart: tuple[int, ...]
    steps: tuple[int, ...]
    jumps: tuple[int, ...]


@dataclass(frozen=True)
class Launch:
    """Run `kernel` over `sizes` (kept) and `reduced` (slots of sizes), with operands and scalar parameters.

    A kernel with reduced dims gets at least one of them (size 1, strides 0 when all have size 1), and every kernel at
    least one kept dim. Machine code returns 1 when the error record is set: flag 1, an index out of range (index, size,
    dim follow); flag 2, an integer division by zero. A launch's outputs are then incomplete.
    Skipped when a kept size is 0; also when a reduced size is 0 and `kernel.has_reduction` is False. A kernel with
    reductions runs over zero reduced elements and writes the identities. `scalars[i]` is the slot of the value of the
    kernel's scalar i (two slots for complex).

    split: the kernel may be run in two steps when it has more than 65536 reduced elements. With n = the number of
    reduced elements and c = ceil(n / 65536) chunks per kept element, allocate a workspace of kept * c *
    kernel.partial_bytes bytes; run variant mode "part" over [0, kept * c) items with the workspace's address as the
    pointer after the operands' (before the error record), then variant mode "final" over [0, kept) with the same
    pointers. Bits equal those of "row". Where the variant's block is 2 and c >= PAIRED_FROM, "part" has kept * ceil(c /
    2) items, of two chunks each. When `kernel.wide`, mode "colpart" may take the place of "part": columns along the
    vector axis, [0, items of "col" * c). In mode "col" a parameter says how many columns an item has, which may be
    fewer than `kernel.col_block`.
    """

    kernel: Kernel
    sizes: tuple[int, ...]
    reduced: tuple[int, ...]
    operands: tuple[Operand, ...]
    scalars: tuple[int, ...] = ()
    split: bool = False
    loose: Loose | None = None
    unless: tuple[int, int] | None = None  # two buffers: nothing to do where they are one
    rarely: bool = False  # where there is nothing to do, the kernel is not made beforehand

    def lines(self) -> Iterator[str]:
        """As text."""
        yield f"launch over [{_slots(self.sizes)}] reducing [{_slots(self.reduced)}]"
        for o in self.operands:
            buffer = "addresses" if o.buffer < 0 else f"b{o.buffer}"
            yield f"  {'writes' if o.write else 'reads'} {buffer} from s{o.offset} by {_slots(o.strides)}"
        yield from (f"  scalar s{s}" for s in self.scalars)

    def check(self, buffers: int) -> list[int]:
        """The slots that it uses; AssertionError where an operand is none of so many buffers."""
        used = [*self.sizes, *self.reduced, *self.scalars]
        for o in self.operands:
            assert -1 <= o.buffer < buffers and len(o.strides) == len(self.sizes) + len(self.reduced)
            used += [o.offset, *o.strides]
        return used


@dataclass(frozen=True)
class BufferView:
    """A strided view of a buffer (all slots, in elements)."""

    buffer: int
    dtype: dtype
    offset: int
    sizes: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True)
class Library:
    """Call a routine: name, views (inputs, then outputs), static parameters, and sizes among them as slots (`ints`).

    A parameter of the primitive that holds sizes is given in `params` as ("slot", k): `ints[k]` is its slot. One that
    is a program is given as its plan: each output of that has a buffer of its own.

    then: of a product, the kernel that goes on with its result. It reads each element of that once, where it lies, and
    is run on pieces of it while they are in a cache, or on all of it (core/fused.pyx).
    """

    name: str
    args: tuple[BufferView, ...]
    n_in: int
    params: dict[str, Any] = field(default_factory=dict)
    ints: tuple[int, ...] = ()
    then: Launch | None = None

    @property
    def body(self) -> Plan | None:
        """The plan of a recurrence's step, whose symbols are those of the plan that it is in."""
        return self.params.get("body")


@dataclass(frozen=True)
class Out:
    """A program output.

    kind "buffer": a view of `buffer`. When no alloc has `output` = this output's number and a destination is given
    (out=, in place), the core copies. kind "view": another tensor on the memory of input `index`, seen through `steps`
    (which may be none: a view that changes nothing is a tensor of its own, with its own place in the graph), in order:
    ("reshape", sizes) ("permute", perm) ("slice", starts, sizes, steps) ("broadcast", sizes, dims) ("diagonal", offset,
    dim1, dim2) ("windows", dims, sizes, steps, dilations); perm, dims, dim1 and dim2 are static, the rest are slots.

    copies: of a view, what strides do not express is a view of a contiguous copy.
    """

    kind: str
    dtype: dtype
    buffer: int = -1
    offset: int = -1
    sizes: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()
    index: int = -1
    steps: tuple[tuple[Any, ...], ...] = ()
    copies: bool = False


@dataclass(frozen=True)
class Plan:
    """What a launch does; see the head of this file for the slots. `guards`: (slot, expected 0/1), checked first.

    `inputs`: per program input its dtype and, per dimension, the slot of its size and 0, or -1 and the size where it is
    a number. The core checks the tensors that it is given against them.
    """

    n_sym: int
    inputs: tuple[tuple[dtype, tuple[tuple[int, int], ...]], ...]
    in_strides: tuple[int, ...]
    scalar_slots: tuple[int, ...]
    code_base: int
    code: tuple[Code, ...]
    guards: tuple[tuple[int, int], ...]
    allocs: tuple[Alloc, ...]
    post_base: int
    post: tuple[Code, ...]
    steps: tuple[Launch | Library, ...]
    outputs: tuple[Out, ...]
    n_slots: int
    lasts: tuple[int, ...] = ()  # per tensor input the last step that touches it, -1 for one that must outlive all

    def __str__(self) -> str:
        lines = [f"s{i}: symbol" for i in range(self.n_sym)]
        lines += [
            f"input {i}: {d.name}, strides from s{s}" for i, ((d, _), s) in enumerate(zip(self.inputs, self.in_strides))
        ]
        lines += [f"s{self.code_base + i} = {_instruction(c)}" for i, c in enumerate(self.code)]
        lines += [f"guard s{slot} is {expected}" for slot, expected in self.guards]
        for i, a in enumerate(self.allocs, len(self.inputs)):
            what = "buffer" if a.output is None else f"output {a.output}"
            like = " like " * bool(a.like) + " and ".join(map(str, a.like))
            lines.append(f"b{i}: {what} {a.dtype.name}[{_slots(a.sizes)}] strides {_slots(a.strides)}{like}")
        lines += [f"s{self.post_base + i} = {_instruction(c)}" for i, c in enumerate(self.post)]
        for step in self.steps:
            if isinstance(step, Launch):
                lines += step.lines()
            else:
                lines.append(f"call {step.name}")
                for k, v in enumerate(step.args):
                    way = "reads" if k < step.n_in else "writes"
                    lines.append(f"  {way} b{v.buffer} from s{v.offset} [{_slots(v.sizes)}] by {_slots(v.strides)}")
                if step.body is not None:
                    lines += [f"  {line}" for line in str(step.body).split("\n")]
                if step.then is not None:
                    first, *rest = step.then.lines()
                    lines += [f"then {first}", *rest]
        for i, out in enumerate(self.outputs):
            if out.kind == "buffer":
                lines.append(
                    f"output {i}: b{out.buffer} from s{out.offset} [{_slots(out.sizes)}] by {_slots(out.strides)}"
                )
            else:
                lines.append(
                    f"output {i}: input {out.index} seen through {', '.join(map(repr, out.steps)) or 'nothing'}"
                )
        return "\n".join(lines)

    def check(self) -> None:
        """AssertionError where an instruction uses a slot that is not filled yet, or a step one that never is; or where
        a kernel would write over what it has not read yet.
        """
        known = set(range(self.code_base))
        for base, code in ((self.code_base, self.code), (self.post_base, self.post)):
            for i, (op, a, b) in enumerate(code, base):
                assert op == "const" or {a, b} <= known, f"s{i} uses a slot that is not filled yet in\n{self}"
                known.add(i)
            if base == self.code_base:
                known.update(s for a in self.allocs for s in a.strides)
        assert len(known) == self.n_slots, f"{len(known)} slots are filled of {self.n_slots}"
        buffers = len(self.inputs) + len(self.allocs)
        used: list[int] = []
        for step in self.steps:
            if isinstance(step, Launch):
                used += step.check(buffers)
            else:
                for v in step.args:
                    assert -1 <= v.buffer < buffers and len(v.sizes) == len(v.strides)
                    used += [v.offset, *v.sizes, *v.strides]
                used += step.ints
                if step.body is not None:
                    step.body.check()
                if step.then is not None:
                    used += step.then.check(buffers)
        used += [s for o in self.outputs if o.kind == "buffer" for s in (o.offset, *o.sizes, *o.strides)]
        assert set(used) <= known, f"slots {sorted(set(used) - known)} are never filled in\n{self}"
        for k, alloc in enumerate(self.allocs, len(self.inputs)):
            if alloc.over is not None:
                assert alloc.lives is not None
                launch = self.steps[alloc.lives[0]]
                assert isinstance(launch, Launch)
                at = {(o.offset, o.strides) for o in launch.operands if o.buffer in (k, alloc.over)}
                assert len(at) == 1, (
                    f"b{k} lies over b{alloc.over}, and they are touched at different places in\n{self}"
                )


def _slots(slots: tuple[int, ...]) -> str:
    return " ".join(f"s{s}" for s in slots) or "nothing"


def _instruction(code: Code) -> str:
    op, a, b = code
    return str(a) if op == "const" else f"{op} s{a} s{b}"
