"""Common subexpressions, dead equations and cheap rewrites."""

from __future__ import annotations

from rushlight.program.ir import Program


def simplify(program: Program) -> Program:
    """The same program with equal equations shared, every primitive's rewrites applied and unused equations dropped.

    A rewrite never changes a bit of a result.
    """
    while True:
        smaller = program.rewritten()
        if len(smaller.eqns) >= len(program.eqns):
            return smaller
        program = smaller
