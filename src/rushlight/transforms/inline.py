"""Calls replaced by their bodies."""

from __future__ import annotations

from collections.abc import Callable

from rushlight.prims.emit import trace
from rushlight.program.ir import Builder, Eqn, Program, Var


def inline_calls(program: Program, which: Callable[[Eqn], bool] | None = None) -> Program:
    """The program without calls (or without those for which `which` says so); itself where it has none."""
    if not any(_goes(e, which) for e in program.eqns):
        return program
    with Builder(program.env) as b:
        args = [b.input(v.shape, v.dtype, v.kind) for v in program.inputs]
        return b.build(_emit(b, program, args, which))


def _goes(e: Eqn, which: Callable[[Eqn], bool] | None) -> bool:
    return e.prim.kind == "call" and (which is None or which(e))


def _emit(b: Builder, program: Program, args: list[Var], which: Callable[[Eqn], bool] | None) -> list[Var]:
    value = dict(zip(program.inputs, args, strict=True))
    for e in program.eqns:
        ins = [value[v] for v in e.inputs]
        if _goes(e, which):
            if e.prim.identity:
                outs = ins
            else:
                outs = _emit(b, trace(e.params["body"], ins), ins, which)
        else:
            out = b.emit(e.prim, ins, e.params)
            outs = list(out) if e.prim.multiple else [out]
        value.update(zip(e.outputs, outs, strict=True))
    return [value[v] for v in program.outputs]
