"""Program -> Plan: which values get buffers, which kernels compute them, in what order, and the slots they need."""

from __future__ import annotations

import heapq
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rushlight.compiler import plan as P
from rushlight.compiler.kernels import cache
from rushlight.compiler.passes.fuse import LONG, KernelBuilder, NeedBuffer, Root, View, reduction_behind, view_index
from rushlight.compiler.passes.index import Lin, Split, is_zero, strides_of
from rushlight.compiler.passes.sequential import BandBuilder, ScanBuilder, ScatterBuilder
from rushlight.compiler.passes.slots import Slots
from rushlight.core.dtypes import dtype
from rushlight.prims.call import IDENTITIES
from rushlight.program.ir import Program, Var, live
from rushlight.program.sym import Int, Sym, same

FUSED_KINDS = ("pointwise", "view", "reduce", "source", "gather")
MAX_OPERANDS = 24
SIBLINGS = 12  # how many further outputs one kernel is offered


@dataclass
class Buffer:
    """An alloc to be: `strides` are the symbols of its strides when the core decides them, else contiguous."""

    dtype: dtype
    sizes: tuple[Int, ...]
    strides: tuple[Int, ...]
    output: int | None
    symbols: list[int]
    same: int | None = None  # see plan.Alloc


@dataclass
class Step:
    """A launch or library call, with the values it makes and needs (for ordering)."""

    build: Any
    outs: set[Var]
    ins: set[Var]
    after: list[Step] = field(default_factory=list)
    unless: tuple[int, int] | None = None  # see plan.Launch


class Copy(NamedTuple):
    var: Var
    buffer: int


class Cycle(Exception):
    """Kernels need one another's results; fuse less."""


class Planner:
    """Plans one program."""

    def __init__(
        self, program: Program, views: bool, absorb: bool, known: set[Var] | None = None, cuts: set[Var] | None = None
    ) -> None:
        self.program, self.views, self.absorb = program, views, absorb
        self.env = program.env.copy()
        self.n_sym = len(program.env.hints)
        self.home: dict[Var, View] = {}
        self.done: set[Var] = set()
        self.buffers: list[Buffer] = []
        self.input_number = {v: i for i, v in enumerate(program.inputs)}
        self.steps: list[Step] = []
        self.flat: dict[Var, Copy] = {}
        self.pending: list[tuple[int, int, Any]] = []
        self.count = 0
        self.eqns = live(program.eqns, program.outputs)
        self.number = {e: i for i, e in enumerate(self.eqns)}
        self.read = {v for e in self.eqns for v in e.inputs}.union(program.outputs)
        self.known = known or set()
        self.cuts: set[Var] = set(cuts or ())  # values at which a kernel was cut because of its size
        self.stride_symbols()
        self.find_ancestors()

    def stride_symbols(self) -> None:
        slot, known = self.n_sym, {i: i for i in range(self.n_sym)}
        self.in_strides: list[int] = []
        for i, v in enumerate(self.program.inputs):
            self.in_strides.append(slot)
            if v.kind == "scalar":
                continue
            strides = []
            for d in range(v.ndim):
                known[len(self.env.hints)] = slot
                strides.append(self.env.new_signed(1, f"stride{i}_{d}"))
                slot += 1
            self.home[v] = View(i, 0, tuple(strides))
            self.done.add(v)
        self.scalar_slots = []
        for v in self.program.inputs:
            self.scalar_slots.append(slot)
            if v.kind == "scalar":
                slot += 2
        self.slots = Slots(known, slot)

    def find_ancestors(self) -> None:
        """Bit sets of the equations each value depends on, its own included, and of the tensor inputs."""
        self.sources: dict[Var, int] = {
            v: 1 << i if v.kind == "tensor" else 0 for i, v in enumerate(self.program.inputs)
        }
        self.ancestors: dict[Var, int] = dict.fromkeys(self.program.inputs, 0)
        for i, e in enumerate(self.eqns):
            bits = 1 << i
            for v in e.inputs:
                bits |= self.ancestors[v]
            sources = 0
            for v in e.inputs:
                sources |= self.sources[v]
            for v in e.outputs:
                self.ancestors[v], self.sources[v] = bits, sources

    def bit(self, v: Var) -> int:
        return 1 << self.number[v.eqn] if v.eqn in self.number else 0

    # -- buffers -----------------------------------------------------------------------------------------------------
    def fusable(self, v: Var) -> bool:
        return (
            v.eqn is not None
            and (v.eqn.prim.kind in FUSED_KINDS or v.eqn.prim.name in IDENTITIES)
            and v.eqn.prim.name != "scatter"
        )

    def long(self, v: Var) -> bool:
        """Whether a kernel that takes `v` in computes LONG pointwise equations or more for each of its elements."""
        seen, left = {v}, [v]
        while left and len(seen) <= 4 * LONG:
            e = left.pop().eqn
            if e is not None and (e.prim.kind in ("pointwise", "view") or e.prim.name in IDENTITIES):
                new = [x for x in e.inputs if x not in seen and x not in self.home]
                seen.update(new)
                left += new
        return sum(x.eqn is not None and x.eqn.prim.kind == "pointwise" for x in seen) >= LONG

    def is_root(self, v: Var) -> bool:
        return v in self.home

    def alloc(self, d: dtype, sizes: tuple[Int, ...], output: int | None = None, same_as: int | None = None) -> View:
        """A new buffer; an output's strides are the core's choice, and of one that may be an input itself."""
        if output is None and same_as is None:
            strides, symbols = strides_of(sizes), []
            self.buffers.append(Buffer(d, sizes, strides, None, []))
        else:
            first = len(self.env.hints)
            name = f"same{same_as}" if output is None else f"out{output}"
            strides = tuple(self.env.new_signed(1, f"{name}_{k}") for k in range(len(sizes)))
            symbols = list(range(first, first + len(sizes)))
            self.buffers.append(Buffer(d, sizes, strides, output, symbols, same_as))
        return View(len(self.program.inputs) + len(self.buffers) - 1, 0, strides)

    def strides_of_buffer(self, buffer: int) -> tuple[Int, ...]:
        """The strides of all of a buffer."""
        first = len(self.program.inputs)
        return (
            self.home[self.program.inputs[buffer]].strides if buffer < first else self.buffers[buffer - first].strides
        )

    def materialise(self, v: Var, output: int | None = None) -> None:
        """Give `v` a buffer and plan to compute it."""
        if v in self.home:
            raise AssertionError(f"compiler: {v} has a buffer already")
        self.home[v] = self.alloc(v.dtype, v.shape, output, self.padded_input(v) if output is None else None)
        self.push(self.number[v.eqn], v)  # type: ignore[index]

    def padded_input(self, v: Var) -> int | None:
        """The input that `v` is with something around it, for some numbers of the caller with nothing."""
        e = v.eqn
        if e is None or e.prim.name != "pad" or e.inputs[0].kind != "tensor":
            return None
        widths = [*e.params["low"], *e.params["high"]]
        may_be_none = all(is_zero(w) or self.env.follows_given(w) for w in widths)
        return self.input_number[e.inputs[0]] if may_be_none and all(map(is_zero, e.params["interior"])) else None

    def push(self, order: int, task: Any) -> None:
        self.count += 1
        heapq.heappush(self.pending, (-order, self.count, task))

    def contiguous_copy(self, x: Var) -> Copy:
        """A contiguous copy of `x`, for a reshape that no strides express."""
        found = self.flat.get(x)
        if found is None:
            view = self.alloc(x.dtype, x.shape)
            found = self.flat[x] = Copy(Var(x.shape, x.dtype), view.buffer)
            self.ancestors[found.var] = self.ancestors[x]
            self.push(self.number[x.eqn] if x.eqn in self.number else -1, ("copy", x, found.var, view))
        return found

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
                at = view_index(v.eqn, at, v.shape, size_of)
            except Split:
                return None
            if at is None:
                return None
            v = v.eqn.inputs[0]
            at = tuple(Lin() if not isinstance(n, Sym) and n == 1 else i for i, n in zip(at, v.shape, strict=True))
        home = self.home[v]
        total = Lin.at(home.offset, at, home.strides)
        return v, View(home.buffer, total.offset, tuple(total.terms.get(d, 0) for d in range(x.ndim)))

    def resolve(self, x: Var) -> View | None:
        found = self.base(x)
        return found[1] if found else None

    def owner(self, x: Var) -> Var:
        found = self.base(x)
        assert found is not None
        return found[0]

    def buffer_view(self, x: Var, ins: set[Var]) -> tuple[View, Var]:
        """x as a library argument; it gets a buffer when it is no view of one."""
        found = self.base(x)
        if found is None:
            self.materialise(x)
            found = x, self.home[x]
        ins.add(found[0])
        return found[1], x

    # -- planning ----------------------------------------------------------------------------------------------------
    def run(self) -> None:
        self.outs: list[Any] = []
        first: dict[Var, int] = {}
        copies = []
        for k, v in enumerate(self.program.outputs):
            if self.views and (chain := self.view_chain(v)) is not None:
                self.outs.append(("view", v, chain))
            elif v.kind == "value" and v not in first and v.eqn in self.number:
                first[v] = k
                self.materialise(v, k)
                self.outs.append(("buffer", v, self.home[v]))
            else:
                view = self.alloc(v.dtype, v.shape, k)
                copies.append((v, view))
                self.outs.append(("buffer", v, view))
        for v in sorted(self.known, key=lambda v: (self.number[v.eqn], v.eqn.outputs.index(v))):  # type: ignore[index, union-attr]
            if v not in self.home:
                self.materialise(v)
        for v, view in copies:
            marker = Var(v.shape, v.dtype)
            self.ancestors[marker] = self.ancestors[v]
            self.kernel(lambda forbid, v=v, view=view: KernelBuilder(self, [Root(v, v.shape, view)], forbid), {marker})  # type: ignore[misc]
        while self.pending:
            _, _, task = heapq.heappop(self.pending)
            if isinstance(task, tuple):
                _, x, marker, view = task
                self.kernel(
                    lambda forbid, x=x, view=view: KernelBuilder(self, [Root(x, x.shape, view)], forbid), {marker}
                )  # type: ignore[misc]
            elif task not in self.done:
                self.plan_value(task)

    def view_chain(self, v: Var) -> tuple[int, list[Any]] | None:
        """(input, view equations outwards from it) when v is an input seen through views."""
        chain: list[Any] = []
        while v.kind == "value":
            if v.eqn is None or v.eqn.prim.kind != "view":
                return None
            chain.insert(0, v.eqn)
            v = v.eqn.inputs[0]
        return (self.input_number[v], chain) if v.kind == "tensor" else None

    def kernel(self, make: Any, outs: set[Var], after: Sequence[Step] = (), commit: bool = True) -> Any:
        """Build a kernel, giving buffers to what it needs; add it as a step."""
        forbid: frozenset[Var] = frozenset()
        while True:
            builder = make(forbid)
            try:
                builder.build()
            except NeedBuffer as need:
                if not commit:
                    return None
                self.materialise(need.var)
                continue
            wrong = self.illegal(builder)
            if not wrong:
                break
            if not commit or wrong <= forbid:
                return None
            forbid |= wrong
        if not commit:
            return builder
        return self.add(builder, outs, after)

    def add(self, builder: Any, outs: set[Var], after: Sequence[Step] = ()) -> Step:
        made = outs | set(builder.stored)
        self.done |= set(builder.stored)
        step = Step(builder, made, set(builder.loaded) - made, list(after))
        self.steps.append(step)
        return step

    def illegal(self, builder: Any) -> set[Var]:
        """Stored values that something the kernel loads depends on."""
        stored = set(builder.stored)
        bits = 0
        for v in builder.loaded:
            bits |= self.ancestors[v] if v in self.ancestors else 0
        wrong = {v for v in stored if self.bit(v) & bits}
        return wrong

    def plan_value(self, v: Var) -> None:
        e = v.eqn
        assert e is not None
        home, name = self.home[v], e.prim.name
        if self.fusable(v):
            self.plan_fused(v)
            return
        for k, other in enumerate(e.outputs):
            if other not in self.home:
                unwanted = k in getattr(e.prim, "optional", ()) and other not in self.read
                self.home[other] = View(-1, 0, (0,) * other.ndim) if unwanted else self.alloc(other.dtype, other.shape)
        if name == "concatenate":
            self.plan_concatenate(v)
        elif name == "pad":
            x, value = e.inputs
            offset, strides = home.offset, []
            for low, gap, s in zip(e.params["low"], e.params["interior"], home.strides, strict=True):
                offset = offset + low * s
                strides.append(s * (gap + 1))
            same_as = self.buffers[home.buffer - len(self.program.inputs)].same
            unless = None if same_as is None else (home.buffer, same_as)
            self.plan_filled(v, value, x, View(home.buffer, offset, tuple(strides)), unless)
        elif name == "diag_embed":
            self.plan_diag_embed(v)
        elif e.prim.kind == "scan":
            make = BandBuilder if name in ("bandrec", "logbandrec") else ScanBuilder
            self.kernel(lambda forbid: make(self, e, forbid), set(e.outputs))
        elif name == "scatter":
            x = e.inputs[0]
            marker = Var((), x.dtype)
            self.ancestors[marker] = 0
            copy = self.kernel(lambda forbid: KernelBuilder(self, [Root(x, x.shape, home)], forbid | {v}), {marker})
            self.kernel(lambda forbid: ScatterBuilder(self, e, forbid), {v}, [copy])
        elif e.prim.kind == "library":
            self.plan_library(e)
        else:
            raise NotImplementedError(f"compile: primitive {name} of kind {e.prim.kind} cannot be compiled")
        self.done.update(e.outputs)

    def plan_fused(self, v: Var) -> None:
        roots = [Root(v, v.shape, self.home[v])]
        builder: Any = None
        while builder is None:
            step_count = len(self.steps)
            self.kernel(lambda forbid: KernelBuilder(self, roots, forbid), set())
            builder = self.steps[step_count].build
        if not self.absorb:
            return
        offered = 0
        for _, _, u in sorted(self.pending, key=lambda t: t[:2]):
            if not isinstance(u, Var) or u in self.done or not self.fusable(u) or offered >= SIBLINGS:
                continue
            if not self.sources[u] & self.sources[v] or self.bit(u) & self.ancestors[v]:
                continue
            rows = u.ndim != roots[0].var.ndim
            if rows and not (u.ndim and roots[0].shape and (reduction_behind(u) or builder.has_reduced)):
                continue
            if not rows and not all(same(a, b) for a, b in zip(u.shape, roots[0].shape, strict=True)):
                continue
            offered += 1
            # (The root of the most dims first: it spans the space.)
            joined = sorted([*roots, Root(u, u.shape, self.home[u])], key=lambda r: -len(r.shape))
            before = set(builder.stored)
            self.done -= before
            both = self.kernel(lambda forbid, joined=joined: KernelBuilder(self, joined, forbid), set(), commit=False)  # type: ignore[misc]
            if (
                both is not None
                and (rows or both.loops.reduced == builder.loops.reduced and both.loops.kept == builder.loops.kept)
                and len(both.operands) <= MAX_OPERANDS
                and both.loaded & builder.loaded
                and before <= set(both.stored)
            ):
                self.steps.pop()
                self.add(both, set())
                roots, builder = joined, both
            else:
                self.done |= before

    def plan_concatenate(self, v: Var) -> None:
        e, home = v.eqn, self.home[v]
        assert e is not None
        at: Int = 0
        dim = e.params["dim"] % v.ndim
        for x in e.inputs:
            piece = View(home.buffer, home.offset + at * home.strides[dim], home.strides)
            self.kernel(
                lambda forbid, x=x, piece=piece: KernelBuilder(self, [Root(x, x.shape, piece)], forbid | {v}), {v}
            )  # type: ignore[misc]
            at = at + x.shape[dim]

    def plan_filled(self, v: Var, value: Var, x: Var, inside: View, unless: tuple[int, int] | None = None) -> None:
        marker = Var((), v.dtype)
        self.ancestors[marker] = 0
        fill = self.kernel(
            lambda forbid: KernelBuilder(self, [Root(value, v.shape, self.home[v], True)], forbid | {v}), {marker}
        )
        copy = self.kernel(lambda forbid: KernelBuilder(self, [Root(x, x.shape, inside)], forbid | {v}), {v}, [fill])
        fill.unless = copy.unless = unless

    def plan_diag_embed(self, v: Var) -> None:
        e, home = v.eqn, self.home[v]
        assert e is not None
        from rushlight.compiler.passes.sequential import zero_of

        offset, d1, d2 = e.params["offset"], e.params["dim1"] % v.ndim, e.params["dim2"] % v.ndim
        strides = [s for d, s in enumerate(home.strides) if d not in (d1, d2)] + [home.strides[d1] + home.strides[d2]]
        below = offset < 0  # a symbol's sign was decided by the shape rule: no new guard
        start = home.offset + (-offset * home.strides[d1] if below else offset * home.strides[d2])
        zero = zero_of(v.dtype)
        self.ancestors[zero] = 0
        self.plan_filled(v, zero, e.inputs[0], View(home.buffer, start, tuple(strides)))

    def plan_library(self, e: Any) -> None:
        ins: set[Var] = set()
        args = [self.buffer_view(x, ins) for x in e.inputs]
        views = args + [(self.home[o], o) for o in e.outputs]
        self.steps.append(Step(("library", e, views), set(e.outputs), ins))


def plan_program(program: Program, views: bool) -> P.Plan:
    """Plan, fusing as much as can be; again with the buffers known from the start; with less fusion on a cycle."""
    from rushlight.compiler.passes.assemble import assemble

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 50000))
    try:
        planner = Planner(program, views, True)
        planner.run()
        # Kernels planned before a value was given a buffer computed it without storing it; plan again knowing them all.
        known = {v for v in planner.home if v.kind == "value" and v.eqn is not None and v in planner.done}
        outputs = set(program.outputs)
        if known - outputs:
            cuts = planner.cuts
            vars(planner).clear()
            planner = Planner(program, views, True, known, cuts)
            planner.run()
        try:
            made = assemble(planner)
        except Cycle:
            planner = Planner(program, views, False, known, planner.cuts)
            planner.run()
            made = assemble(planner)
        vars(planner).clear()  # it is in cycles: what it holds goes at once, not when the garbage collector comes
    finally:
        sys.setrecursionlimit(limit)
    cache.count("programs")
    return made
