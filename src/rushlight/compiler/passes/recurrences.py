"""Recurrences as a plan runs them: steps whose results lie in memory of their own, and none that nobody reads."""

from __future__ import annotations

from typing import Any

from rushlight.prims.base import p
from rushlight.prims.recurrence import recurrence_of_used
from rushlight.program.ir import Builder, Eqn, Program, Var


def recurrences(program: Program) -> Program:
    """The program with each recurrence's step ready to be planned: each result of it is computed, by itself, into a
    row of an output.
    """
    if not any(e.prim.name == "recurrence" for e in program.eqns):
        return program
    read = {v for e in program.eqns for v in e.inputs}.union(program.outputs)
    return program.rewritten(lambda e, ins: _emitted(e, ins, read) if e.prim.name == "recurrence" else None)


def _emitted(e: Eqn, ins: list[Var], read: set[Var]) -> list[Any]:
    """The results of a recurrence; None for those that nobody reads."""
    n, m = e.params["counts"]
    body: Program = e.params["body"]
    carried = len(ins) - n - m
    wanted = [k for k, v in enumerate(e.outputs) if k < carried or v in read]
    with Builder(body.env) as b:
        step = b.build(_apart(b.inline(body, [b.input(v.shape, v.dtype) for v in body.inputs]), wanted))
    made = recurrence_of_used(e.prim, step, ins[:n], ins[n : n + m], ins[n + m :], e.params["reverse"])
    found = dict(zip(wanted, made, strict=True))
    return [found.get(k) for k in range(len(e.outputs))]


def _apart(results: tuple[Var, ...], wanted: list[int]) -> list[Var]:
    """The wanted results, those in a buffer of their own that are an operand, a view, or the same as another."""
    found: list[Var] = []
    for k in wanted:
        v = results[k]
        shared = v.eqn is None or v.eqn.prim.kind == "view" or v in found
        found.append(p.buffered(v) if shared else v)
    return found
