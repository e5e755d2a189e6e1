"""The passes in their order, each from one form to the next."""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager

from rushlight.compiler import counters
from rushlight.compiler.passes.assemble import assemble
from rushlight.compiler.passes.cluster import cluster
from rushlight.compiler.passes.epilogues import epilogues
from rushlight.compiler.passes.index import index
from rushlight.compiler.passes.legalise import legalise
from rushlight.compiler.passes.loops import loops
from rushlight.compiler.passes.recurrences import recurrences
from rushlight.compiler.passes.rounding import rounding
from rushlight.compiler.passes.sizes import sizes
from rushlight.compiler.plan import Plan
from rushlight.compiler.watching import made
from rushlight.compiler.watching import watched as watched
from rushlight.program.ir import Program
from rushlight.transforms import inline_calls

_ON_PROGRAMS: dict[str, Callable[[Program], Program]] = {
    "inline": inline_calls,
    "sizes": sizes,
    "recurrences": recurrences,
    "legalise": legalise,
    "rounding": rounding,
}


def compile_program(program: Program, views: bool = False, passed: Container[int] = ()) -> Plan:
    """Run all passes; see `rushlight.compiler.compile_program`."""

    made("trace", program)
    for name, run in _ON_PROGRAMS.items():
        program = made(name, run(program))
    with deep():
        bodies = made("index", index(made("cluster", cluster(program, views, passed))))
    nests = made("epilogues", epilogues(made("loops", loops(bodies))))
    steps = (e.params["body"] for e in program.eqns if e.prim.name == "recurrence")
    plan = made("assemble", assemble(nests, {step: compile_step(step) for step in steps}))
    counters.count("programs")
    return plan


def compile_step(body: Program) -> Plan:
    """The plan of one step of a recurrence; the guards are those of the program that it is in."""
    env = body.env.copy()
    env.guards = []
    return compile_program(Program(env, body.inputs, body.eqns, body.outputs))


@contextmanager
def deep() -> Iterator[None]:
    """Functions may call themselves as deep as a program is long."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 50000))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
