"""Cutting a traced computation in two: a part that runs at once, and a part that waits for values that are not known
yet.

The second part needs values of the first. To keep few of them alive, it recomputes what is cheap (pointwise, views,
index maps, constants, random bits) from inputs, outputs and the results of expensive primitives (reductions, products,
convolutions, gathers, sorts, scans); only those expensive results are returned in addition, as extras.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rushlight.prims.base import CHEAP_KINDS, literally
from rushlight.prims.emit import trace
from rushlight.prims.view import permute
from rushlight.program.ir import Builder, Eqn, Program, Var, live
from rushlight.program.sym import prod, same

MOST = 1  # operands that may be read to compute another one again
# What may be spent on that, in nanoseconds per element, where several calls take the operand: much else is computed
# again with it. (To write a float and to read it back takes 0.25.)
DEAR = 0.4


@dataclass(frozen=True)
class Partition:
    """forward: inputs -> outputs, then extras. later: residuals, then the unknown inputs, then scalars -> results.

    residuals: per residual ("input", i), ("output", j) or ("extra", k). scalars: the scalar inputs that `later` takes.
    """

    forward: Program
    later: Program
    residuals: tuple[tuple[str, int], ...]
    scalars: tuple[int, ...]


def cheap(e: Eqn) -> bool:
    """Whether an equation is recomputed rather than its result kept."""
    if e.prim.name == "custom_call":
        return all(cheap(inner) for inner in trace(e.params["body"], e.inputs).eqns)
    return e.prim.kind in CHEAP_KINDS or e.prim.identity


def _held(eqns: Sequence[Eqn], primal: set[Var]) -> set[Var]:
    """The operands of calls within a program that a backward keeps: computing one again would read more than MOST
    others, or cost more than keeping it.
    """
    reads: dict[Var, frozenset[Var]] = {}
    behind: dict[Var, frozenset[Eqn]] = {}
    uses = Counter(e.inputs[0] for e in eqns if e.prim.name == "operand" and e.outputs[0] in primal)
    held = set()
    for e in eqns:
        v = e.inputs[0] if e.inputs else None
        if v is not None and e.prim.name == "operand" and e.outputs[0] in primal:
            if _many(_reads(reads, v), v) or uses[v] > 1 and sum(map(cost_of, _behind(behind, v))) > DEAR:
                held |= {v, e.outputs[0]}
                reads[v] = reads[e.outputs[0]] = frozenset((v,))
                behind[v] = behind[e.outputs[0]] = frozenset()
    return held


def cost_of(e: Eqn) -> float:
    """What it costs to compute an equation again, in nanoseconds per element."""
    if e.prim.name == "custom_call":
        return sum(map(cost_of, trace(e.params["body"], e.inputs).eqns))
    return e.prim.cost.ns if e.prim.kind in ("pointwise", "gather") or e.prim.name == "random_bits" else 0.0


def _gathered(
    known: dict[Var, frozenset[Any]],
    v: Var,
    kept: Callable[[Var], Iterable[Any]],
    again: Callable[[Eqn], Iterable[Any]],
) -> frozenset[Any]:
    """What is gathered from everything that it takes to compute `v` again: from values that are `kept`, and from
    equations that run `again`. `known` is extended.
    """
    left = [v]
    while left:
        x = left[-1]
        e = x.eqn
        if x in known:
            left.pop()
        elif e is None or not cheap(e):
            known[x] = frozenset(kept(x))
        elif waiting := [y for y in e.inputs if y not in known]:
            left += waiting
        else:
            known[x] = frozenset(again(e)).union(*(known[y] for y in e.inputs))
    return known[v]


def _behind(known: dict[Var, frozenset[Eqn]], v: Var) -> frozenset[Eqn]:
    """The equations that compute `v` again from what is kept; `known` is extended."""
    return _gathered(known, v, lambda x: (), lambda e: (e,))


def _many(reads: Iterable[Var], v: Var) -> bool:
    """Whether computing `v` again would read more than MOST values as large as it; a row or a column of it counts
    little."""
    size, rank = prod(v.shape), _rank(v)
    return sum(_rank(x) >= rank or same(prod(x.shape), size) for x in reads) > MOST


def _rank(v: Var) -> int:
    return sum(not literally(n, 1) for n in v.shape)


def _reads(known: dict[Var, frozenset[Var]], v: Var) -> frozenset[Var]:
    """The tensors with dimensions that a kernel reads that computes `v` again; `known` is extended."""
    return _gathered(known, v, lambda x: (x,) if x.shape else (), lambda e: ())


def partition(
    eqns: Sequence[Eqn],
    primal: Iterable[Var],
    inputs: Sequence[Var],
    outputs: Sequence[Var],
    unknown: Sequence[Var],
    results: Sequence[Var],
    keep_results: bool = True,
) -> Partition:
    """Cut after what is known; emit `later` anew. Runs inside the builder that the equations were emitted to.

    Args:
        eqns: all equations, in order.
        primal: the values that the forward program computes anyway; others that do not depend on `unknown` (a
            derivative rule's own) wait for the second part.
        inputs, outputs: of the forward program.
        unknown: the inputs of the second part.
        results: its outputs.
        keep_results: cheap outputs may be residuals.
    """
    env = Builder.current().env
    primal = set(primal)
    # for the backward, in memory of its own
    own = {v for e in eqns if e.prim.name == "kept" for v in e.inputs if v.eqn is not None}
    own |= _held(eqns, primal)
    source = {v: ("input", i) for i, v in enumerate(inputs)}
    for j, v in enumerate(outputs):
        if (
            v in primal
            and v.eqn is not None
            and v.eqn.prim.kind != "source"
            and v.eqn.prim.name != "given"
            and v not in own
            and (keep_results or not cheap(v.eqn))
        ):
            source.setdefault(v, ("output", j))
    turned = {v.eqn.inputs[0]: v for v in source if v.eqn is not None and v.eqn.prim.name == "permute"}
    behind: dict[Var, Var] = {}  # what an output with its dimensions in another order stands for
    residuals: dict[Var, tuple[str, int]] = {}
    extras: list[Var] = []
    scalars: list[int] = []
    needed: set[Var] = set()
    todo = list(results)
    while todo:
        v = todo.pop()
        if v in needed or v in residuals:
            continue
        where = source.get(v)
        if where is not None and v.kind == "scalar":
            scalars.append(where[1])
            needed.add(v)
        elif where is not None:
            residuals[v] = where
        elif v.eqn is None:
            needed.add(v)  # one of `unknown`
        elif v in primal and v in turned and v not in own and not cheap(v.eqn):
            needed.add(v)
            behind[v] = turned[v]
            todo.append(turned[v])
        elif v in primal and (v in own or not cheap(v.eqn)):
            residuals[v] = ("extra", len(extras))
            extras.append(v)
        else:
            needed.update(v.eqn.outputs)
            todo.extend(v.eqn.inputs)
    scalars.sort()
    order = {"input": 0, "output": 1, "extra": 2}
    kept = sorted(residuals, key=lambda v: (order[residuals[v][0]], residuals[v][1]))
    with Builder(env) as b:
        value = {v: b.input(v.shape, v.dtype) for v in kept}
        value.update((v, b.input(v.shape, v.dtype)) for v in unknown)
        value.update((inputs[i], b.input((), inputs[i].dtype, "scalar")) for i in scalars)
        for v, y in behind.items():
            assert y.eqn is not None
            perm = y.eqn.params["perm"]
            value[v] = permute(value[y], perm=tuple(perm.index(d) for d in range(len(perm))))
        for e in eqns:
            if any(v in needed and v not in value for v in e.outputs):
                for v, new in zip(e.outputs, b.results(e.prim, [value[v] for v in e.inputs], e.params), strict=True):
                    value.setdefault(v, new)
        later = b.build([value[v] for v in results])
    wanted = [*outputs, *extras]
    return Partition(
        Program(env, inputs, live(eqns, wanted), wanted), later, tuple(residuals[v] for v in kept), tuple(scalars)
    )
