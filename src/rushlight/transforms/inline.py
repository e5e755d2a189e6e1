"""Calls replaced by their bodies."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rushlight.prims.emit import trace
from rushlight.program.ir import Builder, Eqn, Program, Var


def inline_calls(program: Program, which: Callable[[Eqn], bool] | None = None) -> Program:
    """The program without calls (or without those for which `which` says so); itself where it has none."""
    if not any(_goes(e, which) for e in program.eqns):
        return program
    with Builder(program.env) as b:
        return b.build(_emit(b, program, b.inputs_like(program), which))


def _goes(e: Eqn, which: Callable[[Eqn], bool] | None) -> bool:
    return e.prim.kind == "call" and (which is None or which(e))


def _emit(b: Builder, program: Program, args: list[Var], which: Callable[[Eqn], bool] | None) -> Sequence[Var]:
    def rule(e: Eqn, ins: list[Var]) -> Sequence[Var] | None:
        if not _goes(e, which):
            return None
        return ins if e.prim.identity else _emit(b, trace(e.params["body"], ins), ins, which)

    return b.inline(program, args, rule)
