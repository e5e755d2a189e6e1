"""Which values of a program have buffers, and which of those are still to be computed."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import NamedTuple

from rushlight.compiler.passes.forms import Buffer, Lying, View
from rushlight.compiler.passes.space import reduction_behind, seen_in
from rushlight.core.dtypes import dtype
from rushlight.program.affine import groups, is_zero, strides_of
from rushlight.program.ir import Eqn, Program, Var, live
from rushlight.program.sym import Int

# so many pointwise equations, computed again for each element of other dims, cost more than a kernel of their own and a
# load
LONG = 16


class Copy(NamedTuple):
    """A contiguous copy that is to be made: of `source`, under the name `var`."""

    source: Var
    var: Var
    view: View


def lies_by_columns(v: Var) -> bool:
    """Whether a value is matrices that a LAPACK routine makes; pivots and permutations are integers."""
    e = v.eqn
    return e is not None and e.prim.by_columns and v.ndim == e.inputs[0].ndim and v.dtype.kind in "fc"


class Buffers:
    """The buffers of one program.

    home: where each value with a buffer lies. done: those of them that a kernel computes, and the inputs. copies: the
    contiguous copies of values, by these. cuts: values at which a kernel was cut because of its size.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.env = program.env.copy()
        self.home: dict[Var, View] = {}
        self.done: set[Var] = set()
        self.list: list[Buffer] = []
        self.input_number = {v: i for i, v in enumerate(program.inputs)}
        self.cuts: set[Var] = set()
        self.copies: dict[Var, Copy] = {}
        self._inside: set[Var] = set()  # values that lie in the buffer of a result
        self._pending: list[tuple[int, int, Var | Copy]] = []
        self._count = 0
        self._reductions: dict[Var, Eqn | None] = {}
        eqns = live(program.eqns, program.outputs)
        self.number = {e: i for i, e in enumerate(eqns)}
        values = [*program.inputs, *(v for e in eqns for v in e.outputs)]
        self._order = {v: i for i, v in enumerate(values)}
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

    def place(self, e: Eqn | None) -> int:
        """Where an equation is in the program, -1 for one that is not in it."""
        return -1 if e is None else self.number.get(e, -1)

    def in_order(self, values: Iterable[Var]) -> list[Var]:
        """Inputs and values in the program's order. (A set of them has another order in every process.)"""
        return sorted(values, key=self._order.__getitem__)

    def bit(self, v: Var) -> int:
        return 1 << self.number[v.eqn] if v.eqn in self.number else 0

    def marker(self, x: Var) -> Var:
        """A name for a copy of `x`."""
        made = Var(x.shape, x.dtype)
        self.ancestors[made] = self.ancestors[x]
        return made

    def mark(self, done: Iterable[Var] = (), undone: Iterable[Var] = ()) -> None:
        """Note that a kernel computes these values, or that none does."""
        self.done.difference_update(undone)
        self.done.update(done)

    # -- making them -------------------------------------------------------------------------------------------------
    def alloc(
        self,
        d: dtype,
        sizes: tuple[Int, ...],
        output: int | None = None,
        same_as: int | None = None,
        free: bool = False,
        taken: Lying | None = None,
        columns: bool = False,
        joined: tuple[int, ...] = (),
        why: str = "",
    ) -> View:
        """A new buffer; the strides of an output, of one that may be an input itself, and of a `free` one are the
        core's choice. columns: matrices lie column by column; joined: see plan.Alloc.
        """
        if output is None and same_as is None and not free:
            strides, symbols = strides_of(sizes), range(0)
            if columns:
                strides = (*strides[:-2], 1, sizes[-2])
        else:
            first = len(self.env.hints)
            name = f"out{output}" if output is not None else f"buffer{len(self.list)}" if free else f"same{same_as}"
            strides = tuple(self.env.new_signed(1, f"{name}_{k}") for k in range(len(sizes)))
            symbols = range(first, first + len(sizes))
        self.list.append(Buffer(d, sizes, strides, output, tuple(symbols), same_as, taken, joined=joined, why=why))
        return View(len(self.program.inputs) + len(self.list) - 1, 0, strides)

    def materialise(self, v: Var, output: int | None = None, why: str = "") -> View:
        """Give `v` a buffer; it is to be computed. why: for readers, see forms.Buffer."""
        if v in self.home:
            raise AssertionError(f"compiler: {v} has a buffer already")
        same_as = self._padded_input(v) if output is None else None
        free = v.eqn is not None and v.eqn.prim.in_order_of_results(**v.eqn.params)
        self.home[v] = self.alloc(v.dtype, v.shape, output, same_as, free, columns=lies_by_columns(v), why=why)
        self.compute(v)
        return self.home[v]

    def materialise_in_result(self, v: Var, output: int) -> View | None:
        """Let the value of which result `v` is a reshape lie in the result's memory, so that nothing is copied; None
        where that is not possible. It must be made by what can write with any strides: a scatter, whose result may have
        one dim for several of the result's (these must not be batch or channels, which lie apart in channels_last); or
        a view, several of whose dims may be one of the result's, if nothing else reads it.
        """
        u = v.eqn.inputs[0] if v.eqn is not None and v.eqn.prim.name == "reshape" else None
        outputs = self.program.outputs
        if u is None or u.eqn not in self.number or u.eqn is None or u.eqn.prim.kind not in ("scatter", "view"):
            return None
        if u in self.home or u in outputs or outputs.count(v) != 1:
            return None
        runs = groups(u.shape, v.shape)
        if u.eqn.prim.kind == "view":
            if any(len(many) != 1 for _, many in runs) or sum(e.inputs.count(u) for e in self.number) != 1:
                return None
            view = self.alloc(v.dtype, v.shape, output)
            strides: list[Int] = [0] * u.ndim
            for one, many in runs:
                step = view.strides[many[0]]
                for d in reversed(one):
                    strides[d], step = step, step * u.shape[d]
        else:
            if any(len(one) != 1 or len(many) < 1 or (len(many) > 1 and many[0] < 2) for one, many in runs):
                return None
            view = self.alloc(v.dtype, v.shape, output, joined=tuple(d for _, many in runs for d in many[:-1]))
            strides = [view.strides[many[-1]] for _, many in runs]
        self.home[u] = View(view.buffer, 0, tuple(strides))
        self._inside.add(u)
        self.compute(u)
        return view

    def compute(self, v: Var) -> None:
        """Let a kernel be made that computes `v`, which has a buffer."""
        assert v.eqn is not None
        self._push(self.number[v.eqn], v)

    def demanded(self) -> list[tuple[Var, str]]:
        """The values that must have buffers whatever the kernels are, in the program's order: results that no kernel
        computes, and operands of libraries and gathers that are no views of a buffer; each with the reason.
        """
        homes = dict.fromkeys(self.home, "")
        eqns = list(self.number)
        for e in eqns:
            if not e.prim.fuses:  # (results that nobody wants too: LAPACK's values alone have other bits)
                homes.update(dict.fromkeys(e.outputs, f"{e.prim.name} is a step of its own: {e.prim.apart}"))
        for e in reversed(eqns):
            addressed = e.inputs if e.prim.kind == "library" else e.inputs[:1] if e.prim.kind == "gather" else ()
            for x in addressed:
                if seen_in(x, homes, self.by_rows) is None:
                    whole = self.whole(x)
                    if not self.of_input(whole):
                        homes[whole] = f"{e.prim.name} reads it in memory"
                    elif e.prim.kind == "gather":  # (a routine reads a copy of the input)
                        homes[x] = f"{e.prim.name} reads it in memory"
        return [(v, homes[v]) for e in eqns for v in e.outputs if v in homes and v not in self.home]

    def whole(self, x: Var) -> Var:
        """The value that has the same elements as `x`, in another order or in dims of other sizes, and of which strides
        can express `x` as a view; the furthest one back. Where it has a buffer, all such views are views of that.
        """
        found = v = x
        while v not in self.home and v.eqn is not None and v.eqn.prim.name in ("reshape", "permute"):
            v = v.eqn.inputs[0]
            if seen_in(x, (v,), lambda v: self.of_input(v) or self.by_rows(v)) is None:
                break
            found = v
        return found

    def of_input(self, v: Var) -> bool:
        """Whether a value is a tensor that the program was given, or nothing but views of one."""
        while v.eqn is not None and v.eqn.prim.kind == "view":
            v = v.eqn.inputs[0]
        return v.kind == "tensor"

    def by_rows(self, v: Var) -> bool:
        """Whether the buffer that `v` will get lies row by row, since nothing else decides its order."""
        e = v.eqn
        free = e is None or e.prim.in_order_of_results(**e.params)
        own = free or lies_by_columns(v) or v in self._inside
        return not own and v not in self.program.outputs and self._padded_input(v) is None

    def _padded_input(self, v: Var) -> int | None:
        """The input of which `v` is a padded copy, where the padding may be empty for some numbers of the caller."""
        e = v.eqn
        if e is None or e.prim.name != "pad" or e.inputs[0].kind != "tensor":
            return None
        widths = [*e.params["low"], *e.params["high"]]
        may_be_none = all(is_zero(w) or self.env.follows_given(w) for w in widths)
        return self.input_number[e.inputs[0]] if may_be_none and all(map(is_zero, e.params["interior"])) else None

    def _lying(self, x: Var) -> Lying | None:
        """The input whose elements in some order of its dims are those of `x`, row by row."""
        order = list(range(x.ndim))
        while x.eqn is not None and x.eqn.prim.name == "permute":
            perm = x.eqn.params["perm"]
            order, x = [perm[d] for d in order], x.eqn.inputs[0]
        return Lying(self.input_number[x], tuple(order)) if x.kind == "tensor" else None

    def contiguous_copy(self, x: Var) -> Copy:
        """A contiguous copy of `x`, for a reshape that no strides express."""
        found = self.copies.get(x)
        if found is None:
            view = self.alloc(x.dtype, x.shape, taken=self._lying(x), why="a copy, of which no strides make a view")
            found = self.copies[x] = Copy(x, self.marker(x), view)
            self._push(self.place(x.eqn), found)
        return found

    def _push(self, order: int, task: Var | Copy) -> None:
        self._count += 1
        heapq.heappush(self._pending, (-order, self._count, task))

    def pop(self) -> Var | Copy | None:
        """The value to be computed next (the last one in the program first); None where none is left."""
        return heapq.heappop(self._pending)[2] if self._pending else None

    @property
    def pending(self) -> list[Var]:
        """The values that are still to be computed, in that order."""
        return [v for _, _, v in sorted(self._pending, key=lambda t: t[:2]) if isinstance(v, Var)]

    # -- questions ---------------------------------------------------------------------------------------------------
    def reduction_behind(self, v: Var) -> Eqn | None:
        """See `space.reduction_behind`."""
        if v not in self._reductions:
            self._reductions[v] = reduction_behind(v)
        return self._reductions[v]

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
