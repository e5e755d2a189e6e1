"""What kernels compute more than once, and which value is better kept for that.

A kernel whose reductions read one another's results visits its elements once for each of them, and computes in each of
these sweeps all that is on the way from what it loads: of twelve normalizations in a row, each of 24 sweeps the layers
before it. A value that two kernels need and neither stores is computed in both. Where that costs more than to write
the value and to read it back, it gets a buffer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from rushlight.compiler.passes.buffers import Buffers
from rushlight.compiler.passes.drafts import Draft
from rushlight.compiler.passes.tasks import Fused
from rushlight.program.ir import Var
from rushlight.transforms.partition import cost_of

# An element of four bytes written and read back, in nanoseconds as `program/costs.py` has them; on an Intel processor
# with AVX-512 `x * 0.5` of two megabytes takes 0.29.
WRITE, READ = 0.15, 0.1
ALIKE = 0.8  # of the most that is saved
_TRIED = 4  # candidates that are looked at closely


class Sweeps:
    """What each sweep of a kernel over its elements computes, as bit sets of equations of the program.

    cones: of each value that is computed for each element, the equations that it takes from what is loaded.
    """

    def __init__(self, buffers: Buffers, draft: Draft, given: Var | None = None) -> None:
        """given: a value that is to be taken as loaded."""
        self.cones: dict[Var, int] = {}
        found: dict[int, int] = {}
        depth: dict[Var, int] = {}
        for e in sorted(draft.eqns, key=buffers.place):
            cone, sweep = 0, 0
            for x in e.inputs:
                cone |= self.cones.get(x, 0)
                sweep = max(sweep, depth.get(x, 0))
            if e.prim.kind == "reduce":
                found[sweep] = found.get(sweep, 0) | cone
                depth.update(dict.fromkeys(e.outputs, sweep + 1))
                continue
            for v in e.outputs:
                depth[v] = sweep
                if v in draft.full and v is not given:
                    self.cones[v] = cone | buffers.bit(v)
        roots = [r.var for r in draft.task.roots] if isinstance(draft.task, Fused) else []
        for v in [*draft.stored, *roots]:
            if v in self.cones:
                found[depth[v]] = found.get(depth[v], 0) | self.cones[v]
        if not isinstance(draft.task, Fused):
            found[0] = 0
            for cone in self.cones.values():
                found[0] |= cone
        self.masks = list(found.values())


class Weights:
    """What the equations of a program cost an element, in nanoseconds; and how many read each value."""

    def __init__(self, buffers: Buffers) -> None:
        self._buffers = buffers
        self._sweeps: dict[int, tuple[Draft, Sweeps]] = {}  # by the draft's id, which lives as long
        self._of: dict[float, int] = {}
        self.readers: Counter[Var] = Counter()
        for e, i in buffers.number.items():
            self.readers.update(set(e.inputs))
            cost = cost_of(e)
            if cost:
                self._of[cost] = self._of.get(cost, 0) | 1 << i

    def sweeps(self, draft: Draft) -> Sweeps:
        """The sweeps of a kernel."""
        found = self._sweeps.get(id(draft))
        if found is None:
            found = self._sweeps[id(draft)] = draft, Sweeps(self._buffers, draft)
        return found[1]

    def __call__(self, mask: int) -> float:
        return sum(cost * (mask & of).bit_count() for cost, of in self._of.items())


def better_kept(buffers: Buffers, weights: Weights, draft: Draft, others: Sequence[Draft] = ()) -> Var | None:
    """The value of a kernel that saves most where it is written once, and read wherever it would be computed again, in
    this kernel and in others; None where none saves anything.
    """
    own = weights.sweeps(draft)
    masks = [m for d in (draft, *others) for m in weights.sweeps(d).masks]
    once = twice = 0
    for m in masks:
        once, twice = once | m, twice | once & m
    if not twice:
        return None
    roots = {r.var for r in draft.task.roots} if isinstance(draft.task, Fused) else set()
    found = []
    for v, cone in own.cones.items():
        e = v.eqn
        bit = buffers.bit(v)
        if not bit & twice or e is None or not cost_of(e) or not v.shape or v in roots or v in buffers.cuts:
            continue
        if others and v in buffers.home:
            continue
        times = sum(bool(m & bit) for m in masks)
        if (saved := (times - 1) * weights(cone) - _paid(v, times, buffers)) > 0:
            found.append((saved, v))
    # Where several save about as much, the one that most others read: what is planned later may read it too.
    most = max((saved for saved, _ in found), default=0.0)

    def order(candidate: tuple[float, Var]) -> tuple[float, ...]:
        saved, v = candidate
        alike = saved >= ALIKE * most
        return (-alike, -weights.readers[v] if alike else -saved, -buffers.place(v.eqn))

    # (What other values on the way need as well is computed in any case: those that seem best are looked at.)
    for _, v in sorted(found, key=order)[:_TRIED]:
        times = sum(bool(m & buffers.bit(v)) for m in masks)
        before = sum(map(weights, masks))
        after = sum(_weighed(buffers, weights, v, [draft, *others])) + weights(own.cones[v])
        if before - after > _paid(v, times, buffers):
            return v
    return None


def _weighed(buffers: Buffers, weights: Weights, given: Var, drafts: Iterable[Draft]) -> Iterator[float]:
    for d in drafts:
        yield from map(weights, Sweeps(buffers, d, given).masks)


def _paid(v: Var, times: int, buffers: Buffers) -> float:
    """What it costs an element to keep a value."""
    return (0.0 if v in buffers.home else WRITE) + READ * times
