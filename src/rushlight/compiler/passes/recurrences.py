"""Recurrences as a plan runs them: steps whose results lie in memory of their own, and none that nobody reads."""

from __future__ import annotations

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
    with Builder(program.env) as b:
        args = [b.input(v.shape, v.dtype, v.kind) for v in program.inputs]
        value = dict(zip(program.inputs, args, strict=True))
        for e in program.eqns:
            ins = [value[v] for v in e.inputs]
            if e.prim.name == "recurrence":
                _emit(e, ins, read, value)
                continue
            out = b.emit(e.prim, ins, e.params)
            value.update(zip(e.outputs, out if e.prim.multiple else (out,), strict=True))
        return b.build([value[v] for v in program.outputs])


def _emit(e: Eqn, ins: list[Var], read: set[Var], value: dict[Var, Var]) -> None:
    n, m = e.params["counts"]
    body: Program = e.params["body"]
    carried = len(ins) - n - m
    wanted = [k for k, v in enumerate(e.outputs) if k < carried or v in read]
    with Builder(body.env) as b:
        step = b.build(_apart(b.inline(body, [b.input(v.shape, v.dtype) for v in body.inputs]), wanted))
    made = recurrence_of_used(e.prim, step, ins[:n], ins[n : n + m], ins[n + m :], e.params["reverse"])
    value.update((e.outputs[k], y) for k, y in zip(wanted, made, strict=True))


def _apart(results: tuple[Var, ...], wanted: list[int]) -> list[Var]:
    """The wanted results, those in a buffer of their own that are an operand, a view, or the same as another."""
    found: list[Var] = []
    for k in wanted:
        v = results[k]
        shared = v.eqn is None or v.eqn.prim.kind == "view" or v in found
        found.append(p.buffered(v) if shared else v)
    return found
