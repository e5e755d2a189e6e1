"""A program costs no more than its primitives one by one: what kernels compute again is less than what fusing saves.

Work is counted, in the nanoseconds of `program/costs.py`: operations and what is read and written, of each sweep of
each kernel over its elements.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from test_random_programs import APART, FUSED, make, reordered

import rushlight as rl
from rushlight.compiler import compile_program
from rushlight.compiler.costs import cost_of
from rushlight.compiler.passes.forms import Call, Nest, Schedule
from rushlight.compiler.passes.pipeline import watched
from rushlight.compiler.passes.recompute import READ, WRITE
from rushlight.nn import functional as F
from rushlight.program.ir import Eqn, Program, Var, live
from rushlight.program.loops import Loops, Node
from rushlight.program.sym import hint, prod

CHAINS = ("unary", "unary", "binary", "reduce", "normalise", "normalise", "row", "expensive", "scan")


def below(roots: list[Node], level: str) -> Iterator[Node]:
    """The nodes of a level that these values are computed of, each once."""
    left, seen = list(roots), set()
    while left:
        n = left.pop()
        if n.id not in seen:
            seen.add(n.id)
            left += n.args
            if n.level == level:
                yield n


def in_sweep(roots: list[Node]) -> Iterator[Node]:
    """The nodes that a sweep over the elements computes for these."""
    left, seen = list(roots), set()
    while left:
        n = left.pop()
        if n.level == "F" and n.id not in seen:
            seen.add(n.id)
            left += n.args
            yield n


def cost(n: Node) -> float:
    if n.op == "load":
        return READ
    return (READ if n.op == "gather" else 0.0) + (cost_of(n.op).ns if n.args else 0.0)


def work_of_kernel(loops: Loops, kept: int, reduced: int) -> float:
    stages = list(loops.stages()) if loops.reduced else [([], list(loops.stores))]
    total = 0.0
    for reduces, stores in stages:
        roots = [r.args[0] for r in reduces] + [n for s in stores for n in (s.value, *s.index)]
        total += kept * reduced * (sum(map(cost, in_sweep(roots))) + WRITE * len(stores))
    if loops.reduced:
        rows = [s for s in loops.stores if s.level == "K"]
        total += kept * (sum(map(cost, below([s.value for s in loops.stores], "K"))) + WRITE * len(rows))
    return total


def work(nests: Schedule[Nest]) -> float:
    total = 0.0
    for step in nests.steps:
        if isinstance(step.work, Call):
            total += READ * sum(hint(prod(x.shape)) for _, x in step.work.args)
        else:
            kept, reduced = (
                hint(prod([step.work.size_of[a] for a in atoms])) for atoms in (step.work.kept, step.work.reduced)
            )
            total += work_of_kernel(step.work.loops, kept, reduced)
    return total


def work_of(program: Program) -> float:
    with watched() as forms:
        compile_program(program)
    return next(work(form) for name, form in forms if name == "epilogues" and isinstance(form, Schedule))


def work_one_by_one(program: Program) -> float:
    """Of each equation's plan; of views that of a reshape, or of what a call reads, which may be copies."""
    total = 0.0
    called = {v for e in program.eqns if not e.prim.fuses for v in e.inputs}
    for e in program.eqns:
        views = e.prim.kind == "view" and e.prim.name != "reshape" and called.isdisjoint(e.outputs)
        if e.prim.kind == "source" or views:
            continue
        inputs = {v: Var(v.shape, v.dtype, "tensor") for v in e.inputs}
        alone = Eqn(e.prim, tuple(inputs[v] for v in e.inputs), e.params)
        alone.outputs = tuple(Var(v.shape, v.dtype, "value", alone) for v in e.outputs)
        total += work_of(Program(program.env, list(inputs.values()), [alone], alone.outputs))
    return total


def computed(program: Program) -> Program | None:
    """The program with those of its outputs that are computed, each once; None where none is."""
    kinds = {v: v.eqn.prim.kind for v in program.outputs if v.eqn is not None}
    outputs = [v for v, kind in kinds.items() if kind not in ("view", "source")]
    return Program(program.env, program.inputs, live(program.eqns, outputs), outputs) if outputs else None


@pytest.mark.parametrize("kinds", [FUSED, (*FUSED, *APART), CHAINS], ids=["fused", "apart", "chains"])
def test_a_program_works_no_more_than_its_primitives(kinds: tuple[str, ...]) -> None:
    compared = 0
    for seed in range(120):
        program = computed(make(seed, kinds)[0])
        if program is None:
            continue
        for one in (program, reordered(program, random.Random(seed))):
            ours, theirs = work_of(one), work_one_by_one(one)
            assert ours <= 1.02 * theirs + 1, f"seed {seed}: {ours:.0f} instead of {theirs:.0f}\n{one}"
        compared += 1
    assert compared > 60


def layers(count: int) -> tuple[Any, Any]:
    """Of x + 0.5 * gelu(layer_norm(x)): the function, and its argument."""
    weights = [(rl.rand(64), rl.rand(64)) for _ in range(count)]

    def f(x: Any) -> Any:
        for w, b in weights:
            x = x + 0.5 * F.gelu(F.layer_norm(x, (64,), w, b))
        return x.square().mean()

    return f, rl.randn(128, 64, requires_grad=True)


@pytest.mark.parametrize("backward", [False, True])
def test_the_work_of_layers_grows_as_their_number(backward: bool) -> None:
    found = []
    for count in (2, 4, 8):
        f, x = layers(count)
        with watched() as forms:
            loss = rl.jit(f)(x)
            if backward:
                loss.backward()
        found.append(sum(work(form) for name, form in forms if name == "epilogues" and isinstance(form, Schedule)))
    two, four, eight = found
    assert eight - four <= 2.1 * (four - two)
