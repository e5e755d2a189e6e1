"""Sizes in their simplest form."""

from __future__ import annotations

from typing import Any

from rushlight.program.ir import Builder, Eqn, Program, Var
from rushlight.program.sym import Sym


def sizes(program: Program) -> Program:
    """The program with one symbol for all sizes that its guards have found equal: values of one shape look it, and
    what is computed of their sizes is.
    """
    return _written(program) if program.env.has_equal_sizes else program


def _written(program: Program) -> Program:
    env = program.env

    def simplest(x: Any) -> Any:
        if isinstance(x, Sym):
            return env.simplify(env.adopt(x))
        if isinstance(x, (tuple, list)):
            return type(x)(simplest(v) for v in x)
        if isinstance(x, Program):
            return _written(x)
        return x

    def emitted(e: Eqn, ins: list[Var]) -> tuple[Var, ...]:
        return b.results(e.prim, ins, {k: simplest(x) for k, x in e.params.items()})

    with Builder(env) as b:
        args = [b.input(simplest(v.shape), v.dtype, v.kind) for v in program.inputs]
        return b.build(b.inline(program, args, emitted))
