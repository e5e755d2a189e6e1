"""A program split at a point: its outputs there, and the linear map that approximates it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rushlight.prims.base import differentiable
from rushlight.prims.emit import emit_jvp, emit_moving
from rushlight.program.ir import Builder, Eqn, Program, Var
from rushlight.transforms.inline import inline_calls
from rushlight.transforms.jvp import check_active
from rushlight.transforms.partition import partition


@dataclass(frozen=True)
class Linearization:
    """forward: inputs -> outputs, then extras. linear: residuals, then tangents of the active inputs, then scalars ->
    tangents.

    residuals and scalars as in `Derivative`; tangent_outputs: the outputs whose tangents `linear` returns (the others
    are zero).
    """

    forward: Program
    linear: Program
    residuals: tuple[tuple[str, int], ...]
    tangent_outputs: tuple[int, ...]
    scalars: tuple[int, ...]


def has_no_rule(e: Eqn) -> bool:
    """Whether a call is differentiated through its body; it is better inlined first, so that its results can be
    residuals.
    """
    return e.prim.name == "custom_call" and e.params["jvp"] is None


@dataclass
class Tangents:
    """What `trace_tangents` emitted: the primal values, and the tangents in terms of placeholders."""

    args: list[Var]
    primal: set[Var]
    outputs: list[Var]
    placeholders: list[Var]
    tangents: list[Var | None]


def trace_tangents(b: Builder, program: Program, active: Sequence[int]) -> Tangents:
    """Emit a program and its tangents to `b`; the tangents of the active inputs are placeholders, not inputs."""
    args = b.inputs_like(program)
    emit_moving(program, args, active)
    primal = {v for e in b.eqns for v in e.outputs}
    given: list[Var | None] = [None] * len(args)
    holes = []
    for i in active:
        given[i] = hole = Var(args[i].shape, args[i].dtype, "tangent")
        holes.append(hole)
    outputs, tangents = emit_jvp(program, args, given)
    tangents = [t if differentiable(y.dtype) else None for t, y in zip(tangents, outputs, strict=True)]
    return Tangents(args, primal, outputs, holes, tangents)


def linearize(program: Program, active: Sequence[int]) -> Linearization:
    """The derivative of a program at its inputs, as a linear program of tangents.

    Args:
        active: the inputs that have tangents, by index.
    """
    active = check_active(program, active, "linearize")
    program = inline_calls(program.copy(), has_no_rule)
    with Builder(program.env) as b:
        t = trace_tangents(b, program, active)
        which = tuple(j for j, v in enumerate(t.tangents) if v is not None)
        results = [v for v in t.tangents if v is not None]
        cut = partition(b.eqns, t.primal, t.args, t.outputs, t.placeholders, results)
    return Linearization(cut.forward, cut.later, cut.residuals, which, cut.scalars)
