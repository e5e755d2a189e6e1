"""Sizes in their simplest form."""

from __future__ import annotations

from typing import Any

from rushlight.program.ir import Builder, Program, Var
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

    with Builder(env) as b:
        value: dict[Var, Var] = {v: b.input(simplest(v.shape), v.dtype, v.kind) for v in program.inputs}
        for e in program.eqns:
            params = {k: simplest(x) for k, x in e.params.items()}
            out = b.emit(e.prim, [value[v] for v in e.inputs], params)
            value.update(zip(e.outputs, out if e.prim.multiple else (out,), strict=True))
        return b.build([value[v] for v in program.outputs])
