"""Forward mode."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.prims.base import differentiable, instantiate
from rushlight.prims.emit import emit_jvp
from rushlight.program.ir import Builder, Program, Var


def check_active(program: Program, active: Sequence[int], transform: str) -> tuple[int, ...]:
    """`active` as a tuple; a TypeError names an input that has no tangents, a ValueError one that does not exist."""
    for i in active:
        if not 0 <= i < len(program.inputs):
            raise ValueError(f"{transform}: expected an input in [0, {len(program.inputs)}); found {i}")
        if not differentiable(program.inputs[i].dtype):
            raise TypeError(
                f"{transform}: input {i} of dtype {program.inputs[i].dtype.name} has no derivative; "
                "only floating point and complex inputs have"
            )
    if len(set(active)) != len(tuple(active)):
        raise ValueError(f"{transform}: an input is given twice in {tuple(active)}")
    return tuple(active)


def jvp(program: Program, active: Sequence[int]) -> Program:
    """The program that also computes directional derivatives.

    Args:
        active: the inputs that have tangents, by index.

    Returns:
        A Program of (inputs, then a tangent per active input) -> (outputs, then a tangent for each output of floating
        point or complex dtype, explicit zeros where it is zero).
    """
    active = check_active(program, active, "jvp")
    program = program.copy()
    with Builder(program.env) as b:
        args = b.inputs_like(program)
        tangents: list[Var | None] = [None] * len(args)
        for i in active:
            tangents[i] = b.input(args[i].shape, args[i].dtype)
        outs, touts = emit_jvp(program, args, tangents)
        return b.build(
            [*outs, *(instantiate(t, y) for t, y in zip(touts, outs, strict=True) if differentiable(y.dtype))]
        )
