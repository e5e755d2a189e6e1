"""Emitting a program again with other operands: as it is, batched, or with tangents. The transforms are made of
these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.prims.base import differentiable
from rushlight.program.ir import Builder, Eqn, Program, Shape, Var
from rushlight.program.sym import Int


def outputs_of(result: Any) -> tuple[Var, ...]:
    """What a body returned, as a tuple of Vars."""
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)


def trace(body: Callable[..., Any], like: Sequence[Var], shapes: Sequence[Shape] | None = None) -> Program:
    """The program of a function over Vars, for operands like those given, in the symbols of the current builder."""
    current = Builder.current()
    with Builder(current.env, current.of_body) as b:
        args = [
            b.input(v.shape if shapes is None else s, v.dtype)
            for v, s in zip(like, shapes or [()] * len(like), strict=True)
        ]
        return b.build(outputs_of(body(*args)))


def emit_batched(
    program: Program, args: Sequence[Var], dims: Sequence[int | None], size: Int
) -> tuple[list[Var], list[int | None]]:
    """Emit `program` for a batch: dims[i] is the batched dimension of args[i]; returns outputs and their batched
    dimensions.
    """
    b = Builder.current()
    value: dict[Var, tuple[Var, int | None]] = dict(zip(program.inputs, zip(args, dims, strict=True), strict=True))
    for e in program.eqns:
        ins = [value[v] for v in e.inputs]
        vals, bdims = [v for v, _ in ins], [d for _, d in ins]
        if all(d is None for d in bdims):
            outs: Sequence[Var] = b.results(e.prim, vals, e.params)
            odims: Sequence[int | None] = [None] * len(e.outputs)
        else:
            outs, odims = e.prim.batch(vals, bdims, size, **e.params)
        value.update(zip(e.outputs, zip(outs, odims, strict=True), strict=True))
    return [value[v][0] for v in program.outputs], [value[v][1] for v in program.outputs]


def emit_moving(program: Program, args: Sequence[Var], active: Sequence[int]) -> None:
    """Emit `program` as it is computed where the inputs `active` have tangents, with the equations that `emit_jvp`
    emits for its values.
    """
    b = Builder.current()
    value = dict(zip(program.inputs, args, strict=True))
    moving = {program.inputs[i] for i in active}
    for e in program.eqns:
        moves = any(v in moving for v in e.inputs)
        outs = b.results(e.prim, [value[v] for v in e.inputs], e.prim.for_tangents(e.params) if moves else e.params)
        value.update(zip(e.outputs, outs, strict=True))
        moving.update(v for v in e.outputs if moves and differentiable(v.dtype))


def tangents_of(e: Eqn, ins: Sequence[Var], outs: Sequence[Var], tangent: dict[Var, Var | None]) -> None:
    """Emit the tangents of an equation's results, from those of its operands: both by the equation's own variables."""
    ts = [tangent.get(v) for v in e.inputs]
    if any(t is not None for t in ts) and any(differentiable(o.dtype) for o in outs):
        found = e.prim.jvp(ins, outs, ts, **e.prim.for_tangents(e.params))
        tangent.update((v, t if differentiable(v.dtype) else None) for v, t in zip(e.outputs, found, strict=True))


def emit_jvp(
    program: Program, args: Sequence[Var], tangents: Sequence[Var | None]
) -> tuple[list[Var], list[Var | None]]:
    """Emit `program` and its tangents; a None tangent is zero. Returns outputs and their tangents."""
    b = Builder.current()
    value = dict(zip(program.inputs, args, strict=True))
    tangent: dict[Var, Var | None] = dict(zip(program.inputs, tangents, strict=True))
    for e in program.eqns:
        ins = [value[v] for v in e.inputs]
        moves = any(tangent.get(v) is not None for v in e.inputs)
        outs = b.results(e.prim, ins, e.prim.for_tangents(e.params) if moves else e.params)
        value.update(zip(e.outputs, outs, strict=True))
        tangents_of(e, ins, outs, tangent)
    return [value[v] for v in program.outputs], [tangent.get(v) for v in program.outputs]
