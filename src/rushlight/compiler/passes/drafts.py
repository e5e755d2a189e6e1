"""Drafts of kernels: what a kernel can compute itself, over which dims, found by a walk from its roots.

A walk goes from a value to its operands with the index at which they are needed: pointwise primitives pass the index
on, views change it, reductions over the kernel's reduced dims add these. It ends at values that have buffers, or in an
obstacle: a value that must have a buffer of its own, or dims that must be others. A value that has a buffer is computed
here all the same, and stored, when the kernel visits each of its elements once (softmax and its saved statistics are
one kernel so); otherwise it is loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from rushlight.compiler.passes.buffers import Buffers
from rushlight.compiler.passes.space import Dims, Numbers, Space, base, between, in_shape, reduced_dims, top
from rushlight.compiler.passes.tasks import InSequence, Root, Task
from rushlight.prims.view import index_behind
from rushlight.program.affine import Atom, Index, Split, covers
from rushlight.program.ir import Eqn, Var

# A kernel is cut where an expression gets deeper than this, or when it has this many equations: LLVM's time grows
# faster than the kernel. (The depth is what usually decides, so that cutting once is enough.)
MAX_DEPTH, MAX_EQNS = 120, 1500


class Attempt(NamedTuple):
    """What a walk is given, and what walks before it have found out.

    forbid: values that the kernel may not store. over_windows: whether the last reduction was one of windows.
    otherwise: what to try where a root cannot be computed over these dims, which something else has asked for.
    """

    space: Space
    forbid: frozenset[Var]
    over_windows: bool = False
    otherwise: Attempt | Refused | None = None


class Refused(NamedTuple):
    """An obstacle: this value must be computed by a kernel of its own first. why: for readers. cut: since the kernel is
    too large.
    """

    var: Var
    why: str
    cut: bool = False


Obstacle = Refused | Attempt | None  # an Attempt is what to try instead


@dataclass(frozen=True)
class Draft:
    """A kernel that is possible.

    loaded, copied: the values that it reads, and those of which it reads contiguous copies; stored: those with buffers
    that it writes; inside: those without that it goes through; full: those that it computes for each of its elements,
    not for each row alone. operands: how many it has.
    """

    task: Task
    space: Space
    eqns: frozenset[Eqn]
    loaded: frozenset[Var]
    copied: frozenset[Var]
    stored: frozenset[Var]
    inside: frozenset[Var]
    full: frozenset[Var]
    kept: int
    reduced: int
    operands: int


def draft(buffers: Buffers, task: Task, forbid: frozenset[Var]) -> Draft | Refused:
    """The kernel of a task that stores none of `forbid`, or what keeps it from being one."""
    attempt = Attempt(Space(reduced=task.visited() if isinstance(task, InSequence) else None), forbid)
    while True:
        walk = _Walk(buffers, task, attempt)
        obstacle = walk.roots()
        if obstacle is None:
            return walk.draft()
        if isinstance(obstacle, Refused) and obstacle.var in buffers.home and attempt.otherwise is not None:
            obstacle = attempt.otherwise  # a root has its buffer: over these dims this kernel cannot fill it
        if isinstance(obstacle, Refused):
            if obstacle.cut:
                buffers.cuts.add(obstacle.var)
            return obstacle
        attempt = obstacle


class _Walk:
    """A walk through one kernel."""

    def __init__(self, buffers: Buffers, task: Task, attempt: Attempt) -> None:
        self.buffers, self.task, self.attempt = buffers, task, attempt
        self.dims = Dims(task.shape, attempt.space)
        self.over_windows = attempt.over_windows
        self.number = Numbers()
        self.seen: set[tuple[int, int]] = set()
        self.operands: set[object] = set()
        self.eqns: set[Eqn] = set()
        self.loaded: set[Var] = set()
        self.copied: set[Var] = set()
        self.stored: set[Var] = set()
        self.inside: set[Var] = set()
        self.full: set[Var] = set()
        self.reductions: set[bool] = set()  # whether those so far are in sequence
        self.depth = 0
        self.in_full = False

    def draft(self) -> Draft:
        """What the walk, which has met no obstacle, has found."""
        return Draft(
            self.task,
            self.attempt.space,
            frozenset(self.eqns),
            frozenset(self.loaded),
            frozenset(self.copied),
            frozenset(self.stored),
            frozenset(self.inside),
            frozenset(self.full),
            len(self.dims.kept),
            len(self.dims.reduced) or int(self.dims.reduces),
            len(self.operands),
        )

    def instead(self, space: Space, forbid: Var | None = None, otherwise: Attempt | Refused | None = None) -> Attempt:
        """What to try, as is now known."""
        before = self.attempt
        without = before.forbid if forbid is None else before.forbid | {forbid}
        return Attempt(space, without, self.over_windows, otherwise or before.otherwise)

    def apart(self, var: Var) -> Attempt | Refused:
        """Let a value be computed by another kernel: it has a buffer, or must have one."""
        if var in self.buffers.home:
            return self.instead(self.attempt.space, forbid=var)
        return Refused(var, "the kernel that wants it goes over other dims")

    # -- roots -------------------------------------------------------------------------------------------------------
    def roots(self) -> Obstacle:
        """Go through all that the kernel is to compute."""
        if isinstance(self.task, InSequence):
            return self.all(self.task.needs(self.dims))
        index, home = self.dims.index, self.buffers.home
        for root in self.task.roots:
            own = root.dest is home.get(root.var)
            at = () if root.fill else index if len(root.shape) == len(index) else self.of_rows(root)
            if isinstance(at, (Refused, Attempt)):
                return at
            # A root is computed here when this is its own buffer; otherwise (a copy) it may be loaded.
            obstacle = self.visit(root.var, at, root=own and not root.fill and root.var not in self.buffers.done)
            if obstacle is not None:
                return obstacle
            self.operands.add(("root", root.var, root.dest.buffer))
            if own:
                self.stored.add(root.var)
        return None

    def of_rows(self, root: Root) -> Index | Refused | Attempt:
        """The index of a further root that has the kept dims only (a statistic of each row)."""
        dims = self.dims
        if dims.reduces:
            return dims.of_rows(root.shape) or Refused(root.var, "it has no element for each row")
        r, n = self.buffers.reduction_behind(root.var), len(dims.index)
        keys: tuple[tuple[str, int], ...] = tuple(("k", d) for d in reduced_dims(r)) if r is not None else ()
        # Rows only: a sum over outer dims is better done apart from a pointwise result that does not need it.
        rows = r is not None and not r.prim.in_sequence and r.inputs[0].ndim == n != len(keys)
        if not rows or keys[0] != ("k", n - len(keys)):
            return Refused(root.var, "it is no sum over the kernel's last dims")
        return self.instead(replace(self.attempt.space, reduced=keys))

    # -- values ------------------------------------------------------------------------------------------------------
    def all(self, values: list[tuple[Var, Index]]) -> Obstacle:
        for v, index in values:
            obstacle = self.visit(v, index)
            if obstacle is not None:
                return obstacle
        return None

    def visit(self, var: Var, index: Index, root: bool = False) -> Obstacle:
        """Go to the element `index` of a value."""
        index = in_shape(index, var.shape)
        key = (id(var), self.number(index))
        if key in self.seen:
            return None
        self.seen.add(key)
        buffers = self.buffers
        if var.kind == "scalar":
            return None
        e = var.eqn if var.kind == "value" else None
        home = buffers.home.get(var)
        if home is not None and not root:
            if e is not None and var not in self.attempt.forbid and var not in buffers.done and e.prim.fuses:
                once = self.visits_once(var, index)
                if isinstance(once, Attempt):
                    return once
                if once:
                    obstacle = self.compute(var, e, index)
                    if isinstance(obstacle, Refused) and obstacle.var is var:
                        # it has a buffer, and this kernel cannot fill it: load it
                        return self.instead(self.attempt.space, forbid=var)
                    self.operands.add((var, "stored", key))
                    self.stored.add(var)
                    return obstacle
            self.loaded.add(var)
            self.operands.add(key)
            return None
        if e is None:
            raise AssertionError(f"compiler: {var} has neither a buffer nor an equation")
        if not e.prim.fuses or (e.prim.buffered and home is None):
            return Refused(var, f"{e.prim.name} needs its operands, or its result, in memory")
        if (self.depth > MAX_DEPTH or len(self.eqns) > MAX_EQNS) and not root and var.shape:
            return Refused(var, "the kernel would become too large", cut=True)
        if home is None:
            self.inside.add(var)
        return self.compute(var, e, index)

    def visits_once(self, var: Var, index: Index) -> bool | Attempt:
        """Whether this kernel visits each element of var exactly once at full level, or once per kept index."""
        dims = self.dims
        if var in self.buffers.cuts or isinstance(self.task, InSequence):
            return False
        atoms = covers(index, var.shape, dims.size_of)
        if atoms is None:
            return False
        if dims.reduces and atoms == set(dims.kept):
            return True
        if dims.reduces and not dims.along_rows(index):
            return False  # columns are summed by a loop of their own, which stores nothing on its way
        if not dims.reduces and atoms and (r := self.buffers.reduction_behind(var)) is not None:
            # A statistic of this kernel's rows (a saved mean): with its reduction, this becomes a kernel over rows.
            others = [a for a in dims.size_of if a not in atoms]
            if others and (space := self.reducing(r, atoms, others)) is not None:
                return self.instead(space, otherwise=self.apart(var))
        if self.over_windows:  # which overlap, and of which several are visited at once
            return False
        # (With no kept dims, a full-level store would make one work item of the whole kernel.)
        return atoms == set(dims.kept) | set(dims.reduced) and (bool(dims.kept) or not dims.reduces)

    def compute(self, var: Var, e: Eqn, index: Index) -> Obstacle:
        """Go through what a value is computed from here."""
        self.eqns.add(e)
        if self.dims.level(index) == "F":
            self.full.add(var)
        self.depth += 1
        obstacle = _RULES[e.prim.kind](self, var, e, index)
        self.depth -= 1
        return obstacle

    def pointwise(self, var: Var, e: Eqn, index: Index) -> Obstacle:
        cost, dims = e.prim.cost, self.dims
        # (A division, too, in a sum over rows: each of their vectors would divide by the row's number again.)
        expensive = cost.once or not cost.cheap and dims.reduces and dims.level(index) == "F"
        if not e.prim.buffered and self.repeats(var, index) and (expensive or self.buffers.long(var)):
            return Refused(
                var, "it has fewer dims than the kernel that reads it, which would compute it again and again"
            )
        return self.all([(v, index) for v in e.inputs])

    def repeats(self, var: Var, index: Index) -> bool:
        """Whether a value that is expensive, or long in the making, is of fewer dims than the kernel, so that it would
        be computed once per element.
        """
        if not var.shape or var in self.buffers.home:
            return False
        atoms = {a for i in index for a in i.terms}
        here = {*self.dims.kept, *(self.dims.reduced if self.dims.level(index) == "F" else ())}
        return bool(atoms) and not atoms >= here

    def view(self, var: Var, e: Eqn, index: Index) -> Obstacle:
        behind = index_behind(e, index, self.dims.size_of)
        if isinstance(behind, Split):
            return self.instead(self.attempt.space.split(behind))
        if behind is not None:
            return self.visit(e.inputs[0], behind)
        # Not affine: through a contiguous copy of the operand, which has the new shape's strides as well.
        self.copied.add(e.inputs[0])
        self.operands.add((e.inputs[0], "copy", self.number(index)))
        return None

    def source(self, var: Var, e: Eqn, index: Index) -> Obstacle:
        """A constant, or what depends on the index: which is an operand of addresses."""
        along = [index[e.params["dim"]]] if "dim" in e.params else index
        if not self.dims.reduces and any(lin.terms for lin in along):
            self.operands.add((*[lin.key for lin in along],))
        return self.all([(v, ()) for v in e.inputs])

    def gather(self, var: Var, e: Eqn, index: Index) -> Obstacle:
        x, *indices = e.inputs
        if len(self.dims.reduced) > 1 and self.dims.level(index) == "F":
            return Refused(var, "a gather stands in no sum over several dims")
        found = base(x, self.buffers.home)
        if found is None:
            return Refused(x, "a gather reads it at places that are known at run time alone")
        owner, _ = found
        self.loaded.add(owner)
        self.inside.update(between(x, owner))
        self.operands.add((owner, e.params["dims"], self.number(index)))
        return self.all([(i, index[: i.ndim]) for i in indices])

    # -- reductions --------------------------------------------------------------------------------------------------
    def reduce(self, var: Var, e: Eqn, index: Index) -> Obstacle:
        dims, in_sequence = self.dims, e.prim.in_sequence
        atoms = covers(index, var.shape, dims.size_of)
        if isinstance(self.task, InSequence) or atoms is None:
            return Refused(var, "a reduction whose elements the kernel does not visit once each")
        if not dims.reduces:
            # Every dim of the roots that this reduction does not keep is one it reduces; or it brings dims of its own.
            others = [a for a in dims.size_of if a not in atoms]
            space = self.attempt.space
            if not others:
                sizes = tuple(e.inputs[0].shape[d] for d in reduced_dims(e))
                return self.instead(replace(space, reduced=(), added=sizes))
            reducing = self.reducing(e, atoms, others)
            if reducing is None:
                return Refused(var, "a reduction over dims that the kernel's result does not have last")
            return self.instead(reducing, otherwise=self.apart(var))
        inside = dims.inside(e, index)
        if (
            atoms != set(dims.kept)
            or in_sequence
            and self.attempt.space.reduced  # dims of a root, which would be stored on the way
            or (not in_sequence) in self.reductions  # a kernel has one kind of them
            or not dims.kept
            and self.in_full  # one item would do all the work of two sweeps
            or inside is None
        ):
            return Refused(var, "a reduction over other dims than those that the kernel reduces")
        was, self.in_full, self.over_windows = self.in_full, True, in_sequence
        obstacle = self.visit(e.inputs[0], inside)
        self.in_full = was
        self.reductions.add(in_sequence)
        return obstacle

    def reducing(self, e: Eqn, atoms: set[Atom], others: list[Atom]) -> Space | None:
        """The space with `others` as the reduced dims, when reduction `e` keeps `atoms` and there is something to
        keep.
        """
        if e.prim.in_sequence:  # of windows nothing is stored on the way
            return None
        tops = tuple(dict.fromkeys(top(a) for a in others))
        sizes = [e.inputs[0].shape[d] for d in reduced_dims(e)]
        if not atoms or any(top(a) in tops for a in atoms) or self.dims.assign(sizes, others) is None:
            return None
        return replace(self.attempt.space, reduced=tops)


# How a walk goes through a value whose primitive is of this kind.
_RULES: dict[str, Callable[[_Walk, Var, Eqn, Index], Obstacle]] = {
    "pointwise": _Walk.pointwise,
    "view": _Walk.view,
    "reduce": _Walk.reduce,
    "source": _Walk.source,
    "gather": _Walk.gather,
}
