"""Common subexpressions, dead equations and cheap rewrites."""

from __future__ import annotations

from rushlight.program.ir import Builder, Program


def simplify(program: Program) -> Program:
    """The same program with equal equations shared, every primitive's rewrites applied and unused equations dropped.

    A rewrite never changes a bit of a result.
    """
    while True:
        with Builder(program.env) as b:
            args = [b.input(v.shape, v.dtype, v.kind) for v in program.inputs]
            smaller = b.build(b.inline(program, args))
        if len(smaller.eqns) >= len(program.eqns):
            return smaller
        program = smaller
