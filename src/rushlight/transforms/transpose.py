"""Transposition: from a linear map on tangents to the map on cotangents that runs the other way."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.prims.base import add_any, instantiate
from rushlight.prims.replay import trace
from rushlight.program.ir import Builder, Eqn, Hole, Program, Var


def backward_pass(eqns: Sequence[Eqn], cotangents: dict[Var, Var], linear: Sequence[Var]) -> list[Var | None]:
    """Emit the transpose of the equations that depend on `linear`, last first.

    Args:
        cotangents: those of the results, by Var; what does not depend on `linear` is known and used as it is.

    Returns:
        The cotangents of `linear`, None for zero.
    """
    depends = set(linear)
    chain = []
    for e in eqns:
        if any(v in depends for v in e.inputs):
            chain.append(e)
            depends.update(e.outputs)
    ct: dict[Var, Var | None] = dict(cotangents)
    for e in reversed(chain):
        cts = [ct.pop(v, None) for v in e.outputs]
        if all(c is None for c in cts):
            continue
        if e.prim.name == "custom_call" and e.params.get("transpose") is None:
            found: Sequence[Var | None] = _through_call(e, cts, depends)
        else:
            found = e.prim.transpose(cts, [Hole(v) if v in depends else v for v in e.inputs], **e.params)
        for v, c in zip(e.inputs, found, strict=True):
            if c is not None and v in depends:
                ct[v] = add_any(ct.get(v), c)
    return [ct.get(v) for v in linear]


def _through_call(e: Eqn, cts: Sequence[Var | None], depends: set[Var]) -> list[Var | None]:
    b = Builder.current()
    body = trace(e.params["body"], e.inputs)
    holes = {v: Var(v.shape, v.dtype, "tangent") for v in e.inputs if v in depends}
    # A builder of its own, so that the equations on the holes can be told from the rest; the known ones stay usable.
    outs = b.inline(body, [holes.get(v, v) for v in e.inputs])
    inner: dict[Var, Var] = {}
    for y, c in zip(outs, cts, strict=True):
        total = add_any(inner.get(y), c)
        if total is not None:
            inner[y] = total
    found = dict(zip(holes, backward_pass(list(b.eqns), inner, list(holes.values())), strict=True))
    return [found.pop(v, None) for v in e.inputs]


def transpose(program: Program, linear: Sequence[int]) -> Program:
    """The transpose of a program that is linear in the inputs `linear` (by index).

    The adjoint for the inner product Re(sum(conj(a) * b)), which for complex numbers is PyTorch's conjugate convention.

    Returns:
        A Program of (the other inputs, then a cotangent per output) -> cotangents of the linear inputs.
    """
    program = program.copy()
    with Builder(program.env) as b:
        args = [
            Var(v.shape, v.dtype, "tangent") if i in linear else b.input(v.shape, v.dtype, v.kind)
            for i, v in enumerate(program.inputs)
        ]
        outs = b.inline(program, args)
        eqns = list(b.eqns)
        cts: dict[Var, Var] = {}
        for y in outs:
            c = b.input(y.shape, y.dtype)
            cts[y] = add_any(cts.get(y), c) or c
        holes = [args[i] for i in linear]
        return b.build([instantiate(c, h) for c, h in zip(backward_pass(eqns, cts, holes), holes, strict=True)])
