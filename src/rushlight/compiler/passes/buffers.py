"""Which values of a program have buffers, and which of those are still to be computed."""

from __future__ import annotations

import heapq
from collections.abc import Collection
from typing import Any, NamedTuple

from rushlight.compiler.passes.clusters import Buffer, View
from rushlight.core.dtypes import dtype
from rushlight.prims.view import index_behind
from rushlight.program.affine import Lin, Split, is_zero, strides_of
from rushlight.program.ir import Program, Var, live
from rushlight.program.sym import Int, Sym

# pointwise equations, from which on to compute a value again for each element of other dims costs more than a kernel
# and a load
LONG = 16


class Copy(NamedTuple):
    """A contiguous copy that is to be made: of `source`, under the name `var`."""

    source: Var
    var: Var
    view: View


class Buffers:
    """The buffers of one program.

    home: where each value with a buffer lies. done: those of them that a kernel computes, and the inputs. known: values
    that are to have buffers whatever comes. cuts: values at which a kernel was cut because of its size. absorb: whether
    kernels store on the way what has a buffer of its own.
    """

    def __init__(self, program: Program, absorb: bool, known: Collection[Var], cuts: Collection[Var]) -> None:
        self.program, self.absorb = program, absorb
        self.env = program.env.copy()
        self.home: dict[Var, View] = {}
        self.done: set[Var] = set()
        self.list: list[Buffer] = []
        self.input_number = {v: i for i, v in enumerate(program.inputs)}
        self.known, self.cuts = set(known), set(cuts)
        self._copies: dict[Var, Copy] = {}
        self._pending: list[tuple[int, int, Var | Copy]] = []
        self._count = 0
        eqns = live(program.eqns, program.outputs)
        self.number = {e: i for i, e in enumerate(eqns)}
        self.read = {v for e in eqns for v in e.inputs}.union(program.outputs)
        # The slots that the core fills, and the symbols that they hold.
        slot = len(program.env.hints)
        self.slot_of = {i: i for i in range(slot)}
        self.in_strides: list[int] = []
        for i, v in enumerate(program.inputs):
            self.in_strides.append(slot)
            if v.kind == "scalar":
                continue
            strides = []
            for d in range(v.ndim):
                self.slot_of[len(self.env.hints)] = slot
                strides.append(self.env.new_signed(1, f"stride{i}_{d}"))
                slot += 1
            self.home[v] = View(i, 0, tuple(strides))
            self.done.add(v)
        self.scalar_slots: list[int] = []
        for v in program.inputs:
            self.scalar_slots.append(slot)
            slot += 2 * (v.kind == "scalar")
        self.first_slot = slot
        # Bit sets of the equations each value depends on, its own included, and of the tensor inputs.
        self.sources = {v: 1 << i if v.kind == "tensor" else 0 for i, v in enumerate(program.inputs)}
        self.ancestors: dict[Var, int] = dict.fromkeys(program.inputs, 0)
        for i, e in enumerate(eqns):
            bits, sources = 1 << i, 0
            for v in e.inputs:
                bits |= self.ancestors[v]
                sources |= self.sources[v]
            for v in e.outputs:
                self.ancestors[v], self.sources[v] = bits, sources

    def bit(self, v: Var) -> int:
        return 1 << self.number[v.eqn] if v.eqn in self.number else 0

    def marker(self, x: Var, depends: bool) -> Var:
        """A name for part of a buffer's content, that depends on what `x` depends on, or on nothing."""
        made = Var(x.shape, x.dtype) if depends else Var((), x.dtype)
        self.ancestors[made] = self.ancestors[x] if depends else 0
        return made

    # -- making them -------------------------------------------------------------------------------------------------
    def alloc(
        self,
        d: dtype,
        sizes: tuple[Int, ...],
        output: int | None = None,
        same_as: int | None = None,
        free: bool = False,
    ) -> View:
        """A new buffer; the strides of an output, of one that may be an input itself, and of a `free` one are the
        core's choice.
        """
        if output is None and same_as is None and not free:
            strides, symbols = strides_of(sizes), range(0)
        else:
            first = len(self.env.hints)
            name = f"out{output}" if output is not None else f"buffer{len(self.list)}" if free else f"same{same_as}"
            strides = tuple(self.env.new_signed(1, f"{name}_{k}") for k in range(len(sizes)))
            symbols = range(first, first + len(sizes))
        self.list.append(Buffer(d, sizes, strides, output, tuple(symbols), same_as))
        return View(len(self.program.inputs) + len(self.list) - 1, 0, strides)

    def materialise(self, v: Var, output: int | None = None) -> View:
        """Give `v` a buffer; it is to be computed."""
        if v in self.home:
            raise AssertionError(f"compiler: {v} has a buffer already")
        assert v.eqn is not None
        same_as = self._padded_input(v) if output is None else None
        free = v.eqn.prim.name == "buffered" and bool(v.eqn.params.get("free"))
        self.home[v] = self.alloc(v.dtype, v.shape, output, same_as, free)
        self._push(self.number[v.eqn], v)
        return self.home[v]

    def _padded_input(self, v: Var) -> int | None:
        """The input that `v` is with something around it, for some numbers of the caller with nothing."""
        e = v.eqn
        if e is None or e.prim.name != "pad" or e.inputs[0].kind != "tensor":
            return None
        widths = [*e.params["low"], *e.params["high"]]
        may_be_none = all(is_zero(w) or self.env.follows_given(w) for w in widths)
        return self.input_number[e.inputs[0]] if may_be_none and all(map(is_zero, e.params["interior"])) else None

    def contiguous_copy(self, x: Var) -> Copy:
        """A contiguous copy of `x`, for a reshape that no strides express."""
        found = self._copies.get(x)
        if found is None:
            view = self.alloc(x.dtype, x.shape)
            found = self._copies[x] = Copy(x, self.marker(x, depends=True), view)
            self._push(self.number[x.eqn] if x.eqn in self.number else -1, found)
        return found

    def _push(self, order: int, task: Var | Copy) -> None:
        self._count += 1
        heapq.heappush(self._pending, (-order, self._count, task))

    def pop(self) -> Var | Copy | None:
        """What is to be computed next, the last in the program first; None where nothing is left."""
        return heapq.heappop(self._pending)[2] if self._pending else None

    @property
    def pending(self) -> list[Var]:
        """The values that are still to be computed, in that order."""
        return [v for _, _, v in sorted(self._pending, key=lambda t: t[:2]) if isinstance(v, Var)]

    # -- questions ---------------------------------------------------------------------------------------------------
    def fusable(self, v: Var) -> bool:
        return v.eqn is not None and v.eqn.prim.fuses

    def long(self, v: Var) -> bool:
        """Whether a kernel that takes `v` in computes LONG pointwise equations or more for each of its elements."""
        seen, left = {v}, [v]
        while left and len(seen) <= 4 * LONG:
            e = left.pop().eqn
            if e is not None and (e.prim.kind in ("pointwise", "view")):
                new = [x for x in e.inputs if x not in seen and x not in self.home]
                seen.update(new)
                left += new
        return sum(x.eqn is not None and x.eqn.prim.kind == "pointwise" for x in seen) >= LONG

    def strides_of(self, buffer: int) -> tuple[Int, ...]:
        """The strides of all of a buffer."""
        first = len(self.program.inputs)
        return self.home[self.program.inputs[buffer]].strides if buffer < first else self.list[buffer - first].strides

    def base(self, x: Var) -> tuple[Var, View] | None:
        """(the value with a buffer that x is a view of, x in it), when strides express the view."""
        index = []
        size_of: dict[Any, Int] = {}
        for d, n in enumerate(x.shape):
            if not isinstance(n, Sym) and n == 1:
                index.append(Lin())
            else:
                size_of[d] = n
                index.append(Lin({d: 1}))
        at: Any = tuple(index)
        v = x
        while v not in self.home:
            if v.eqn is None or v.eqn.prim.kind != "view":
                return None
            try:
                at = index_behind(v.eqn, at, size_of)
            except Split:
                return None
            if at is None:
                return None
            v = v.eqn.inputs[0]
            at = tuple(Lin() if not isinstance(n, Sym) and n == 1 else i for i, n in zip(at, v.shape, strict=True))
        home = self.home[v]
        total = Lin.at(home.offset, at, home.strides)
        return v, View(home.buffer, total.offset, tuple(total.terms.get(d, 0) for d in range(x.ndim)))
