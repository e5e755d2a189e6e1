"""The pass `cluster`: which values get buffers, and which kernels and calls compute them, in what order.

Planning goes from the outputs backwards: a kernel takes in every producer that it can (`drafts.py`); a value that it
cannot compute itself gets a buffer, and is planned in its turn. Values that must have a buffer whatever the kernels are
have it from the start (`Buffers.demanded`). Where a value turns out to need one later, the kernels that have computed
it on their
way so far are drafted again: now they may store it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rushlight.compiler.passes.buffers import Buffers, Copy
from rushlight.compiler.passes.drafts import Draft, Refused, draft
from rushlight.compiler.passes.forms import Call, InBuffer, Namer, Schedule, SeenThroughViews, Step, View
from rushlight.compiler.passes.recompute import Weights, better_kept
from rushlight.compiler.passes.space import Space, base
from rushlight.compiler.passes.tasks import Fused, Root, Scatter, Task, sequential
from rushlight.prims.index import pieces
from rushlight.program.ir import Eqn, Program, Var
from rushlight.program.sym import prod, same

MAX_OPERANDS = 24
_WHOLE = ("reshape", "permute")  # views of all elements, each once
SIBLINGS = 12  # how many further outputs one kernel is offered


@dataclass(frozen=True)
class Cluster:
    """A kernel: its task and dims; the equations that it computes, in the program's order.

    loaded, copied: the values that it reads, or contiguous copies of them, each with its buffer; stored: the values
    that it writes, likewise; into: further buffers, of which it writes a part.
    """

    task: Task
    space: Space
    eqns: tuple[Eqn, ...]
    loaded: Mapping[Var, int]
    copied: Mapping[Var, int]
    stored: Mapping[Var, int]
    into: tuple[int, ...]

    def touched(self, write: bool) -> Iterator[int]:
        found = (*self.stored.values(), *self.into) if write else (*self.loaded.values(), *self.copied.values())
        yield from dict.fromkeys(found)

    def lines(self, name: Namer) -> Iterator[str]:
        yield f"{self.task.text()} over [{', '.join(map(name.size, self.task.shape))}]{self._reducing(name)}"
        yield from (f"  reads b{b}: {name.value(v)}" for v, b in self.loaded.items())
        yield from (f"  reads b{b}: a copy of {name.value(v)}" for v, b in self.copied.items())
        for e in self.eqns:
            outs, args = (", ".join(map(name.value, vs)) for vs in (e.outputs, e.inputs))
            yield f"  {outs} = {e.prim.name}({args})"
        yield from (f"  writes b{b}: {name.value(v)}" for v, b in self.stored.items())
        yield from (f"  writes b{b}" for b in self.into)

    def _reducing(self, name: Namer) -> str:
        if self.space.reduced is None:
            return ""
        own = [f"dim {d}" for d in self.space.reduced_dims]
        return " reducing " + (", ".join([*own, *(f"[{name.size(n)}]" for n in self.space.added)]) or "nothing")

    def check(self) -> None:
        """AssertionError where an equation's operand is neither computed before it nor read."""
        there = {*self.loaded, *self.copied}
        for e in self.eqns:
            # (A gather may read a value through views, which it does not compute.)
            for v in e.inputs[1:] if e.prim.kind == "gather" else e.inputs:
                assert v in there or v.kind == "scalar", f"{e.prim.name} uses what is neither computed before nor read"
            there.update(e.outputs)
        assert self.stored or self.into, "a kernel that writes nothing"
        if isinstance(self.task, Fused):
            assert there.issuperset(self.stored), "a value is written that is not computed"


def cluster(program: Program, views: bool, passed: Container[int] = ()) -> Schedule[Cluster]:
    """The kernels and calls of a program; see `rushlight.compiler.compile_program`."""
    return _Planner(program, views, passed).plan()


class _Planned:
    """A step that may still change: a kernel may come to store more values on its way.

    made: the values that it makes whatever it stores. forbid: those that it may not store. after, unless: see
    forms.Step. stale: a value that it computes on its way has got a buffer.
    """

    def __init__(
        self,
        work: Draft | Call,
        made: Collection[Var],
        needs: frozenset[Var],
        forbid: frozenset[Var] = frozenset(),
        after: Sequence[_Planned] = (),
        unless: tuple[int, int] | None = None,
    ) -> None:
        self.work, self.made, self.forbid, self.after, self.unless = work, frozenset(made), forbid, after, unless
        self.makes, self.needs, self.stale = self.made, needs, False
        self.settle(work, needs)

    def settle(self, work: Draft | Call, needs: frozenset[Var]) -> None:
        """Let this be what it does, for which it needs these values."""
        self.work, self.stale = work, False
        self.makes = self.made | self.stored
        self.needs = needs - self.makes

    def has_buffer(self, v: Var) -> None:
        """Take notice that `v` has got a buffer."""
        self.stale = self.stale or isinstance(self.work, Draft) and v in self.work.inside

    @property
    def stored(self) -> frozenset[Var]:
        return self.work.stored if isinstance(self.work, Draft) else frozenset()


class _Planner:
    """Plans one program."""

    def __init__(self, program: Program, views: bool, passed: Container[int]) -> None:
        self.program, self.buffers = program, Buffers(program)
        self.weights = Weights(self.buffers)
        self.steps: list[_Planned] = []
        self.late: set[Var] = set()  # values that have got a buffer since a kernel could not compute them
        self.outputs: list[SeenThroughViews | InBuffer] = []
        buffers, copies, within, rows = self.buffers, [], [], self.rows_of_results()
        for k, v in enumerate(program.outputs):
            seen = self.seen_through_views(v)
            if seen is not None and views:
                self.outputs.append(seen)
            elif seen is not None and seen.index in passed and all(e.prim.name in _WHOLE for e in seen.chain):
                self.outputs.append(replace(seen, copies=True))
            elif v in rows:
                within.append(k)
                self.outputs.append(InBuffer(v, View(-1, 0, ())))
            elif (view := buffers.materialise_in_result(v, k)) is not None:
                self.outputs.append(InBuffer(v, view))
            elif v.kind == "value" and v not in buffers.home and v.eqn in buffers.number:
                self.outputs.append(InBuffer(v, buffers.materialise(v, k)))
            else:
                view = buffers.alloc(v.dtype, v.shape, k)
                copies.append(Copy(v, buffers.marker(v), view))
                self.outputs.append(InBuffer(v, view))
        for k in within:  # (after the outputs that have buffers of their own)
            v = program.outputs[k]
            buffers.materialise(rows[v], why="a result is a view of it")
            lies = base(v, buffers.home)
            assert lies is not None, "a result that does not lie row by row"
            self.outputs[k] = InBuffer(v, lies[1])
        for v, why in buffers.demanded():
            buffers.materialise(v, why=why)
        for copy in copies:
            self.plan_copy(copy)

    def seen_through_views(self, var: Var) -> SeenThroughViews | None:
        chain: list[Eqn] = []
        v = var
        while v.kind == "value":
            if v.eqn is None or v.eqn.prim.kind != "view":
                return None
            chain.insert(0, v.eqn)
            v = v.eqn.inputs[0]
        return SeenThroughViews(var, self.buffers.input_number[v], tuple(chain)) if v.kind == "tensor" else None

    def rows_of_results(self) -> dict[Var, Var]:
        """The outputs that are what a routine or several kernels make, in dims of other sizes, and these values."""
        found: dict[Var, Var] = {}
        for var in self.program.outputs:
            v = var
            while v.eqn is not None and v.eqn.prim.name == "reshape":
                v = v.eqn.inputs[0]
            made = v is not var and v.eqn in self.buffers.number and v.eqn.prim.kind in ("library", "index")
            if made and v not in self.program.outputs and v not in found.values() and self.buffers.by_rows(v):
                found.setdefault(var, v)
        return {var: v for var, v in found.items() if self.program.outputs.count(var) == 1}

    def plan(self) -> Schedule[Cluster]:
        """Plan the values that are still to be computed, until none is left."""
        while (task := self.buffers.pop()) is not None:
            if isinstance(task, Copy):
                self.plan_copy(task)
            elif task not in self.buffers.done:
                self.plan_value(task)
        b, steps = self.buffers, ordered(self.steps, self.place_of)
        number = {s: i for i, s in enumerate(steps)}
        return Schedule(
            self.program,
            b.env,
            tuple(b.list),
            b.home,
            {x: c.view for x, c in b.copies.items()},
            tuple(Step(self.finished(s.work), tuple(number[t] for t in s.after), s.unless) for s in steps),
            tuple(self.outputs),
            tuple(b.in_strides),
            tuple(b.scalar_slots),
            b.slot_of,
            b.first_slot,
        )

    def place_of(self, step: _Planned) -> int:
        """Where in the program the last of a step's values is made."""
        return max((self.buffers.place(v.eqn) for v in step.makes), default=-1)

    def finished(self, work: Draft | Call) -> Cluster | Call:
        """The work as the form has it."""
        if isinstance(work, Call):
            return work
        b, task = self.buffers, work.task
        stored = b.in_order(work.stored) if isinstance(task, Fused) else list(task.eqn.outputs)
        parts = [r for r in task.roots if r.dest is not b.home.get(r.var)] if isinstance(task, Fused) else []
        return Cluster(
            task,
            work.space,
            tuple(sorted(work.eqns, key=b.place)),
            {v: b.home[v].buffer for v in b.in_order(work.loaded)},
            {v: b.copies[v].view.buffer for v in b.in_order(work.copied)},
            {v: b.home[v].buffer for v in stored},
            tuple(r.dest.buffer for r in parts),
        )

    # -- kernels -----------------------------------------------------------------------------------------------------
    def kernel(
        self,
        task: Task,
        made: Collection[Var] = (),
        forbid: Collection[Var] = (),
        after: Sequence[_Planned] = (),
        unless: tuple[int, int] | None = None,
    ) -> _Planned:
        """Add the kernel of a task as a step, giving buffers to what it needs."""
        found = self.settled(task, frozenset(forbid), frozenset(made), after)
        step = _Planned(found, made, self.needs(found), frozenset(forbid), after, unless)
        return self.add(step)

    def add(self, step: _Planned) -> _Planned:
        """Add a step, and draft kernels again that have become stale."""
        self.steps.append(step)
        self.buffers.mark(done=step.stored)
        self.refresh()
        return step

    def refresh(self) -> None:
        while (stale := next((s for s in self.steps if s.stale), None)) is not None:
            self.draft_again(stale)

    def needs(self, found: Draft) -> frozenset[Var]:
        """The values that a kernel waits for; copies that it reads are made."""
        return found.loaded.union([self.buffers.contiguous_copy(x).var for x in self.buffers.in_order(found.copied)])

    def draft_again(self, step: _Planned) -> None:
        """Draft a kernel again, now that values which it computes on its way have buffers."""
        before, work = step.stored, step.work
        assert isinstance(work, Draft)
        self.buffers.mark(undone=before)
        found = self.settled(work.task, step.forbid, step.made, step.after, step)
        step.settle(found, self.needs(found))
        self.buffers.mark(done=step.stored)
        for v in self.buffers.in_order(before - step.stored):
            self.buffers.compute(v)

    def settled(
        self,
        task: Task,
        forbid: frozenset[Var],
        made: frozenset[Var] = frozenset(),
        after: Sequence[_Planned] = (),
        own: _Planned | None = None,
    ) -> Draft:
        """A draft of a task, with buffers for what it needs. Where one kernel can no longer have all roots beside
        `own`, the draft is of those that it may still have.
        """
        allowed = forbid
        while True:
            found = draft(self.buffers, task, allowed)
            if not isinstance(found, Refused) and (kept := self.kept_by(found, own)) is not None:
                if kept in self.buffers.home:
                    continue
                found = Refused(kept, "it, or what it is computed of, would be computed more than once")
            if isinstance(found, Refused) and found.var not in self.buffers.home:
                self.buffers.materialise(found.var, why=found.why)
                self.late.add(found.var)
                for s in self.steps:
                    s.has_buffer(found.var)
                continue
            wrong = frozenset([found.var]) if isinstance(found, Refused) else self.illegal(found, made, after, own)
            if not isinstance(found, Refused) and not wrong:
                return found
            if not isinstance(found, Refused) and not wrong <= allowed:
                allowed |= wrong
                continue
            task, allowed = without(task, wrong), forbid

    def kept_by(self, found: Draft, own: _Planned | None) -> Var | None:
        """The value that a kernel should read instead of computing it, since it, alone or together with others, would
        compute it more than once."""
        kept = better_kept(self.buffers, self.weights, found)
        if kept is not None:
            self.buffers.cuts.add(kept)
            return kept
        others = [s.work for s in self.steps if s is not own and isinstance(s.work, Draft)]
        return better_kept(self.buffers, self.weights, found, [o for o in others if not o.full.isdisjoint(found.full)])

    def tried(self, task: Task, own: _Planned) -> Draft | None:
        """A draft of a task in the place of a step, if it is possible with the buffers that there are."""
        self.buffers.mark(undone=own.stored)
        found = draft(self.buffers, task, frozenset())
        self.buffers.mark(done=own.stored)
        if isinstance(found, Refused) or better_kept(self.buffers, self.weights, found) is not None:
            return None
        return None if self.illegal(found, own.made, own.after, own) else found

    def illegal(
        self, found: Draft, made: frozenset[Var], after: Sequence[_Planned], own: _Planned | None
    ) -> frozenset[Var]:
        """The values that a kernel would store although it waits for what is computed of them: of itself, or by way of
        other steps that make several values.

        A step that makes one value reads only what that depends on, so the program's own order holds for it. Of several
        values one may need what is read for another: which the step of a circle that is drafted last learns here.
        """
        if own is None and len(found.stored | made) == 1:
            return frozenset()
        buffers, bits = self.buffers, 0
        for v in found.loaded | found.copied:
            bits |= buffers.ancestors.get(v, 0)
        for s in after:
            bits |= self.needed(s)
        shared = [(self.bits(s.makes), self.needed(s)) for s in self.steps if s is not own and len(s.makes) > 1]
        before = -1
        while before != bits:
            before = bits
            for makes, needs in shared:
                bits |= needs if makes & bits else 0
        return frozenset(v for v in found.stored if buffers.bit(v) & bits)

    def bits(self, values: Collection[Var]) -> int:
        out = 0
        for v in values:
            out |= self.buffers.bit(v)
        return out

    def needed(self, step: _Planned) -> int:
        """Bits of all that a step's operands depend on, and of what it may come to need."""
        out = 0
        # (A stale one may load whatever it computes now.)
        for v in step.makes if step.stale else step.needs:
            out |= self.buffers.ancestors.get(v, 0)
        for s in step.after:
            out |= self.needed(s)
        return out

    def plan_copy(self, copy: Copy) -> None:
        x, b = copy.source, copy.view.buffer
        own = b - len(self.program.inputs)
        taken = self.buffers.list[own].taken
        unless = None if taken is None else (b, taken.input)
        self.kernel(Fused((Root(x, x.shape, copy.view),)), [copy.var], unless=unless)

    # -- values ------------------------------------------------------------------------------------------------------
    def plan_value(self, v: Var) -> None:
        e, buffers = v.eqn, self.buffers
        assert e is not None
        if e.prim.fuses:
            self.plan_fused(v)
            return
        home = buffers.home[v]
        plan = self._PLANS.get(e.prim.kind)
        if plan is None:
            raise NotImplementedError(f"compile: primitive {e.prim.name} of kind {e.prim.kind} cannot be compiled")
        plan(self, v, e, home)
        buffers.mark(done=e.outputs)

    def plan_fused(self, v: Var) -> None:
        """A kernel of `v`, and of what it can compute beside."""
        known = len(self.late)
        found = self.settled(Fused((Root(v, v.shape, self.buffers.home[v]),)), frozenset())
        # What could not join an earlier kernel, for lack of a buffer, may be able to now.
        if (v in self.late or len(self.late) > known) and any(self.joins(s, v) for s in self.steps):
            self.refresh()
            return
        step = self.add(_Planned(found, (), self.needs(found)))
        offered = 0
        for u in self.buffers.pending:
            if offered < SIBLINGS and u not in self.buffers.done and self.fits(step, u):
                offered += 1
                self.joins(step, u)

    def fits(self, step: _Planned, u: Var) -> bool:
        """Whether `u` may be one root more of a step: it reads what that reads, and is of its shape or of its rows'."""
        work, buffers = step.work, self.buffers
        if not isinstance(work, Draft) or not isinstance(work.task, Fused) or u.eqn is None or not u.eqn.prim.fuses:
            return False
        first, *_ = roots = work.task.roots
        if any(r.dest is not buffers.home.get(r.var) for r in roots):  # a copy, or a part of a buffer
            return False
        if not any(buffers.sources[u] & buffers.sources[r.var] for r in roots):
            return False
        if any(buffers.bit(u) & buffers.ancestors[r.var] for r in roots):
            return False
        if u.ndim == first.var.ndim:
            return all(same(a, b) for a, b in zip(u.shape, first.shape, strict=True))
        reduces = work.space.reduced is not None or buffers.reduction_behind(u) is not None
        return bool(u.ndim and first.shape) and reduces

    def joins(self, step: _Planned, u: Var) -> bool:
        """Make `u` one root more of a step, if that is possible and better than a kernel of its own."""
        if not self.fits(step, u):
            return False
        one = step.work
        assert isinstance(one, Draft) and isinstance(one.task, Fused)
        roots = [*one.task.roots, Root(u, u.shape, self.buffers.home[u])]
        rows = u.ndim != roots[0].var.ndim
        # (The root of the most dims first: it spans the space.)
        both = self.tried(Fused(tuple(sorted(roots, key=lambda r: -len(r.shape)))), step)
        if both is None or not better(both, one, rows) or not self.shares(both, one, u):
            return False
        step.settle(both, self.needs(both))
        self.buffers.mark(done=step.stored)
        return True

    def shares(self, both: Draft, one: Draft, u: Var) -> bool:
        """Whether `u` shares at least as many large operands with the kernel that it joins as it adds: all operands
        must be in memory at the same time.
        """
        brings = (both.loaded | both.copied) - one.loaded - one.copied
        most = max((*one.loaded, *one.copied, *brings), key=lambda v: v.ndim)
        size = prod(most.shape)

        def large(values: Iterable[Var]) -> int:
            return sum(v.ndim == most.ndim or same(prod(v.shape), size) for v in values)

        new = large(brings)
        if not new:
            return True
        alone = draft(self.buffers, Fused((Root(u, u.shape, self.buffers.home[u]),)), frozenset())
        if isinstance(alone, Refused):
            return True
        return large((alone.loaded | alone.copied) & (one.loaded | one.copied)) >= new

    def plan_pieces(self, v: Var, e: Eqn, home: View) -> None:
        fill, operands = pieces(e, home.strides)
        same_as = self.buffers.list[home.buffer - len(self.program.inputs)].same
        unless = None if same_as is None else (home.buffer, same_as)
        after = []
        if fill is not None:
            after.append(self.kernel(Fused((Root(fill, v.shape, home, True),)), [v], [v], unless=unless))
        roots = [Root(x, x.shape, View(home.buffer, home.offset + at, strides)) for x, at, strides in operands]
        for task in self.together(roots, v):
            self.kernel(task, [v], [v], after, unless)

    def together(self, roots: list[Root], v: Var) -> list[Fused]:
        """The kernels of the pieces of `v`: pieces of one shape that are computed, and read the same, are one."""
        tasks: list[Fused] = []
        while roots:
            shape = roots[0].shape
            alike = [r for r in roots if len(r.shape) == len(shape) and all(map(same, r.shape, shape))]
            one = Fused(tuple(alike))
            if len(alike) == 1 or not self.share(one, v):
                one = Fused((roots[0],))
            tasks.append(one)
            roots = [r for r in roots if all(r is not taken for taken in one.roots)]
        return tasks

    def share(self, task: Fused, v: Var) -> bool:
        """Whether one kernel of several roots loads less than one for each."""
        whole = draft(self.buffers, task, frozenset([v]))
        # (What one piece stores on its way, another may wait for.)
        if isinstance(whole, Refused) or whole.operands > MAX_OPERANDS or whole.stored:
            return False
        each = [draft(self.buffers, Fused((r,)), frozenset([v])) for r in task.roots]
        return len(whole.loaded) < sum(len(d.loaded) for d in each if isinstance(d, Draft))

    def plan_sequence(self, v: Var, e: Eqn, home: View) -> None:
        self.kernel(sequential(e), e.outputs, e.outputs)

    def plan_scatter(self, v: Var, e: Eqn, home: View) -> None:
        x, task = e.inputs[0], Scatter(e)
        before = [] if task.fill is not None else [self.kernel(Fused((Root(x, x.shape, home),)), [v], [v])]
        self.kernel(task, [v], [v], before)

    def plan_library(self, v: Var, e: Eqn, home: View) -> None:
        needs: set[Var] = set()
        args = []
        for x in e.inputs:
            found = base(x, self.buffers.home)
            if found is None:  # views of an input that strides do not express
                copy = self.buffers.contiguous_copy(self.buffers.whole(x))
                found = base(x, {copy.source: copy.view})
                assert found is not None, "an operand of a library without a buffer"
                found = copy.var, found[1]
            owner, view = found
            needs.add(owner)
            args.append((view, x))
        args += [(self.buffers.home[o], o) for o in e.outputs]
        self.steps.append(_Planned(Call(e, tuple(args)), e.outputs, frozenset(needs)))

    # How a value is computed whose primitive is of this kind.
    _PLANS = {
        "index": plan_pieces,
        "scan": plan_sequence,
        "band": plan_sequence,
        "scatter": plan_scatter,
        "library": plan_library,
    }


def without(task: Task, values: frozenset[Var]) -> Task:
    """The task without those roots that are one of `values`."""
    roots = tuple(r for r in task.roots if r.var not in values) if isinstance(task, Fused) else ()
    assert isinstance(task, Fused) and 0 < len(roots) < len(task.roots), "a kernel cannot fill the buffer it is for"
    return Fused(roots)


def better(both: Draft, one: Draft, rows: bool) -> bool:
    """Whether a kernel with one root more, of each row alone where `rows` says so, takes the place of the other."""
    return (
        (rows or (both.reduced, both.kept) == (one.reduced, one.kept))
        and both.operands <= MAX_OPERANDS
        and bool(both.loaded & one.loaded or both.copied & one.copied)
        and one.stored <= both.stored
    )


def ordered(steps: list[_Planned], place: Callable[[_Planned], int]) -> list[_Planned]:
    """The steps, each after those it depends on, and just before the first one that needs it: so its results live for a
    short time, and their memory is soon free for others.

    steps: planned from the last value backwards. place: where in the program a step's values are made; of those that
    nothing waits for the earliest comes first.
    """
    made_by: dict[Var, list[_Planned]] = {}
    for s in steps:
        for v in s.makes:
            made_by.setdefault(v, []).append(s)
    number = {s: i for i, s in enumerate(steps)}
    waits: dict[_Planned, list[_Planned]] = {}
    for s in steps:
        found = {t for v in s.needs for t in made_by.get(v, ()) if t is not s} | set(s.after)
        waits[s] = sorted(found, key=number.__getitem__)
    depth = _depths(steps, waits)
    wanted = {t for found in waits.values() for t in found}
    out: list[_Planned] = []
    placed: set[_Planned] = set()
    for last in sorted((s for s in steps if s not in wanted), key=lambda s: (place(s), -number[s])):
        left = [last]
        while left:
            s = left[-1]
            # Operands that take many steps come first; those that are quickly made come just before they are needed.
            open_ = [t for t in waits[s] if t not in placed]
            if open_ and s not in placed:
                left.append(max(open_, key=lambda t: (depth[t], number[t])))
                continue
            left.pop()
            if s not in placed:
                out.append(s)
                placed.add(s)
    return out


def _depths(steps: list[_Planned], waits: Mapping[_Planned, list[_Planned]]) -> dict[_Planned, int]:
    """How many steps must run one after another before each."""
    depth: dict[_Planned, int] = {}
    for first in steps:
        left = [(first, False)]
        path: set[_Planned] = set()
        while left:
            s, done = left.pop()
            if done:
                depth[s] = max((depth[t] + 1 for t in waits[s]), default=0)
                path.discard(s)
            elif s not in depth:
                assert s not in path, "kernels need one another's results"
                path.add(s)
                left.append((s, True))
                left += [(t, False) for t in waits[s] if t not in depth]
    return depth
