"""The pass `cluster`: which values get buffers, and which kernels and calls compute them, in what order.

Planning goes from the outputs backwards: a kernel pulls in every producer that it can (`fuse.py`), and what it cannot
compute itself gets a buffer, and is planned in its turn.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from functools import partial

from rushlight.compiler.passes.buffers import Buffers, Copy
from rushlight.compiler.passes.clusters import Call, Clusters, InBuffer, SeenThroughViews, Step, View, ordered
from rushlight.compiler.passes.fuse import Fused, KernelBuilder, NeedBuffer, Root, fuse, reduction_behind
from rushlight.compiler.passes.sequential import BandBuilder, ScanBuilder, ScatterBuilder, zero_of
from rushlight.program.ir import Eqn, Program, Var
from rushlight.program.sym import Int, same

MAX_OPERANDS = 24
SIBLINGS = 12  # how many further outputs one kernel is offered


def cluster(program: Program, views: bool) -> Clusters:
    """The kernels and calls of a program.

    Args:
        views: an output that is an input seen through views only is given as a view of it; otherwise as a copy.
    """
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 50000))
    try:
        planner = _Planner(program, views, Buffers(program, True, (), ()))
        # Kernels planned before a value was given a buffer computed it without storing it: then again, with that known.
        buffers = planner.buffers
        known = {v for v in buffers.home if v.kind == "value" and v.eqn is not None and v in buffers.done}
        if known - set(program.outputs):
            planner = _Planner(program, views, Buffers(program, True, known, buffers.cuts))
        steps = ordered(planner.steps)
        if steps is None:  # kernels need one another's results: fuse less
            planner = _Planner(program, views, Buffers(program, False, known, planner.buffers.cuts))
            steps = ordered(planner.steps)
        assert steps is not None
    finally:
        sys.setrecursionlimit(limit)
    return planner.clusters(steps)


class _Planner:
    """Plans one program, with given buffers to begin with."""

    def __init__(self, program: Program, views: bool, buffers: Buffers) -> None:
        self.program, self.buffers = program, buffers
        self.steps: list[Step] = []
        self.outputs: list[SeenThroughViews | InBuffer] = []
        copies = []
        for k, v in enumerate(program.outputs):
            if views and (seen := self.seen_through_views(v)) is not None:
                self.outputs.append(seen)
            elif v.kind == "value" and v not in buffers.home and v.eqn in buffers.number:
                self.outputs.append(InBuffer(v, buffers.materialise(v, k)))
            else:
                view = buffers.alloc(v.dtype, v.shape, k)
                copies.append((v, view))
                self.outputs.append(InBuffer(v, view))
        for v in sorted(buffers.known, key=lambda v: (buffers.number[v.eqn], v.eqn.outputs.index(v))):  # type: ignore[index, union-attr]
            if v not in buffers.home:
                buffers.materialise(v)
        for v, view in copies:
            self.plan_copy(Copy(v, buffers.marker(v, depends=True), view))
        while (task := buffers.pop()) is not None:
            if isinstance(task, Copy):
                self.plan_copy(task)
            elif task not in buffers.done:
                self.plan_value(task)

    def clusters(self, steps: tuple[Step, ...]) -> Clusters:
        b = self.buffers
        return Clusters(
            self.program,
            b.env,
            tuple(b.home[v].strides if v.kind == "tensor" else () for v in self.program.inputs),
            tuple(b.list),
            steps,
            tuple(self.outputs),
            tuple(b.in_strides),
            tuple(b.scalar_slots),
            b.slot_of,
            b.first_slot,
        )

    def seen_through_views(self, var: Var) -> SeenThroughViews | None:
        chain: list[Eqn] = []
        v = var
        while v.kind == "value":
            if v.eqn is None or v.eqn.prim.kind != "view":
                return None
            chain.insert(0, v.eqn)
            v = v.eqn.inputs[0]
        return SeenThroughViews(var, self.buffers.input_number[v], tuple(chain)) if v.kind == "tensor" else None

    # -- kernels -----------------------------------------------------------------------------------------------------
    def kernel(
        self,
        make: Callable[[frozenset[Var]], Fused],
        makes: Collection[Var] = (),
        after: Sequence[Step] = (),
        unless: tuple[int, int] | None = None,
    ) -> Step:
        """Build a kernel, giving buffers to what it needs; add it as a step."""
        return self.add(self.built(make), makes, after, unless)

    def built(self, make: Callable[[frozenset[Var]], Fused]) -> Fused:
        """What `make` makes of the values that a kernel may not store, with buffers for what it needs."""
        forbid: frozenset[Var] = frozenset()
        while True:
            try:
                fused = make(forbid)
            except NeedBuffer as need:
                self.buffers.materialise(need.var)
                continue
            wrong = self.illegal(fused)
            if not wrong:
                return fused
            assert not wrong <= forbid, "a kernel stores what it may not"
            forbid |= wrong

    def tried(self, make: Callable[[frozenset[Var]], Fused]) -> Fused | None:
        """The same if it is possible with the buffers that there are."""
        try:
            fused = make(frozenset())
        except NeedBuffer:
            return None
        return None if self.illegal(fused) else fused

    def add(
        self,
        fused: Fused,
        makes: Collection[Var] = (),
        after: Sequence[Step] = (),
        unless: tuple[int, int] | None = None,
    ) -> Step:
        made = frozenset(makes) | fused.stored
        self.buffers.done |= fused.stored
        step = Step(fused.kernel, made, fused.loaded - made, tuple(after), unless)
        self.steps.append(step)
        return step

    def illegal(self, fused: Fused) -> set[Var]:
        """Stored values that something the kernel loads depends on."""
        bits = 0
        for v in fused.loaded:
            bits |= self.buffers.ancestors.get(v, 0)
        return {v for v in fused.stored if self.buffers.bit(v) & bits}

    def builder(self, roots: Sequence[Root], *forbid: Var) -> Callable[[frozenset[Var]], Fused]:
        """Makes the kernel of these roots."""
        return lambda forbidden: fuse(partial(KernelBuilder, self.buffers, roots), forbidden | set(forbid))

    def plan_copy(self, copy: Copy) -> None:
        x = copy.source
        self.kernel(self.builder([Root(x, x.shape, copy.view)]), [copy.var])

    # -- values ------------------------------------------------------------------------------------------------------
    def plan_value(self, v: Var) -> None:
        e, buffers = v.eqn, self.buffers
        assert e is not None
        if buffers.fusable(v):
            self.plan_fused(v)
            return
        home = buffers.home[v]
        for k, other in enumerate(e.outputs):
            if other not in buffers.home:
                unwanted = k in getattr(e.prim, "optional", ()) and other not in buffers.read
                buffers.home[other] = (
                    View(-1, 0, (0,) * other.ndim) if unwanted else buffers.alloc(other.dtype, other.shape)
                )
        plan = self._PLANS.get(e.prim.name) or self._PLANS.get(e.prim.kind)
        if plan is None:
            raise NotImplementedError(f"compile: primitive {e.prim.name} of kind {e.prim.kind} cannot be compiled")
        plan(self, v, e, home)
        buffers.done.update(e.outputs)

    def plan_fused(self, v: Var) -> None:
        """A kernel of `v`, and of what it can compute beside."""
        buffers = self.buffers
        roots = [Root(v, v.shape, buffers.home[v])]
        fused = self.built(self.builder(roots))
        self.add(fused)
        if not buffers.absorb:
            return
        offered = 0
        for u in buffers.pending:
            if u in buffers.done or not buffers.fusable(u) or offered >= SIBLINGS:
                continue
            if not buffers.sources[u] & buffers.sources[v] or buffers.bit(u) & buffers.ancestors[v]:
                continue
            rows = u.ndim != roots[0].var.ndim
            if rows and not (u.ndim and roots[0].shape and (reduction_behind(u) or fused.reduces)):
                continue
            if not rows and not all(same(a, b) for a, b in zip(u.shape, roots[0].shape, strict=True)):
                continue
            offered += 1
            # (The root of the most dims first: it spans the space.)
            joined = sorted([*roots, Root(u, u.shape, buffers.home[u])], key=lambda r: -len(r.shape))
            buffers.done -= fused.stored
            both = self.tried(self.builder(joined))
            if both is not None and self.better(both, fused, rows):
                self.steps.pop()
                self.add(both)
                roots, fused = joined, both
            else:
                buffers.done |= fused.stored

    def better(self, both: Fused, one: Fused, rows: bool) -> bool:
        """Whether a kernel with one root more, of each row alone where `rows` says so, takes the place of the other."""
        a, b = both.kernel.loops, one.kernel.loops
        return (
            (rows or (a.reduced, a.kept) == (b.reduced, b.kept))
            and len(both.kernel.operands) <= MAX_OPERANDS
            and bool(both.loaded & one.loaded)
            and one.stored <= both.stored
        )

    def plan_concatenate(self, v: Var, e: Eqn, home: View) -> None:
        at: Int = 0
        dim = e.params["dim"] % v.ndim
        for x in e.inputs:
            piece = View(home.buffer, home.offset + at * home.strides[dim], home.strides)
            self.kernel(self.builder([Root(x, x.shape, piece)], v), [v])
            at = at + x.shape[dim]

    def plan_pad(self, v: Var, e: Eqn, home: View) -> None:
        x, value = e.inputs
        offset, strides = home.offset, []
        for low, gap, s in zip(e.params["low"], e.params["interior"], home.strides, strict=True):
            offset = offset + low * s
            strides.append(s * (gap + 1))
        same_as = self.buffers.list[home.buffer - len(self.program.inputs)].same
        unless = None if same_as is None else (home.buffer, same_as)
        self.plan_filled(v, value, x, View(home.buffer, offset, tuple(strides)), unless)

    def plan_diag_embed(self, v: Var, e: Eqn, home: View) -> None:
        offset, d1, d2 = e.params["offset"], e.params["dim1"] % v.ndim, e.params["dim2"] % v.ndim
        strides = [s for d, s in enumerate(home.strides) if d not in (d1, d2)] + [home.strides[d1] + home.strides[d2]]
        below = offset < 0  # a symbol's sign was decided by the shape rule: no new guard
        start = home.offset + (-offset * home.strides[d1] if below else offset * home.strides[d2])
        zero = zero_of(v.dtype)
        self.buffers.ancestors[zero] = 0
        self.plan_filled(v, zero, e.inputs[0], View(home.buffer, start, tuple(strides)))

    def plan_filled(self, v: Var, value: Var, x: Var, inside: View, unless: tuple[int, int] | None = None) -> None:
        marker = self.buffers.marker(v, depends=False)
        whole = Root(value, v.shape, self.buffers.home[v], True)
        fill = self.kernel(self.builder([whole], v), [marker], unless=unless)
        self.kernel(self.builder([Root(x, x.shape, inside)], v), [v], [fill], unless)

    def plan_scan(self, v: Var, e: Eqn, home: View) -> None:
        make = BandBuilder if e.prim.name in ("bandrec", "logbandrec") else ScanBuilder
        self.kernel(partial(fuse, partial(make, self.buffers, e)), e.outputs)

    def plan_scatter(self, v: Var, e: Eqn, home: View) -> None:
        x = e.inputs[0]
        marker = self.buffers.marker(x, depends=False)
        copy = self.kernel(self.builder([Root(x, x.shape, home)], v), [marker])
        self.kernel(partial(fuse, partial(ScatterBuilder, self.buffers, e)), [v], [copy])

    def plan_library(self, v: Var, e: Eqn, home: View) -> None:
        needs: set[Var] = set()
        args = []
        for x in e.inputs:
            owner, view = self.buffers.base(x) or (x, self.buffers.materialise(x))
            needs.add(owner)
            args.append((view, x))
        args += [(self.buffers.home[o], o) for o in e.outputs]
        self.steps.append(Step(Call(e, tuple(args)), frozenset(e.outputs), frozenset(needs)))

    # How a value is computed whose primitive is of this name or kind.
    _PLANS = {
        "concatenate": plan_concatenate,
        "pad": plan_pad,
        "diag_embed": plan_diag_embed,
        "scan": plan_scan,
        "scatter": plan_scatter,
        "library": plan_library,
    }
