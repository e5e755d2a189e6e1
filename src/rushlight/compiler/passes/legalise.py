"""Calls of libraries in dtypes that those lack, written in dtypes that they have."""

from __future__ import annotations

from rushlight.core.dtypes import float32
from rushlight.prims.base import p
from rushlight.program.ir import Builder, Eqn, Program


def legalise(program: Program) -> Program:
    """The program with products of half types (and narrower ones) made in the dtype that they compute in, other calls
    in complex32 as well, and products of integers and bools as fused sums of products."""
    if not any(_illegal(e) for e in program.eqns):
        return program
    with Builder(program.env) as b:
        args = [b.input(v.shape, v.dtype, v.kind) for v in program.inputs]
        value = dict(zip(program.inputs, args, strict=True))
        for e in program.eqns:
            ins = [value[v] for v in e.inputs]
            if _illegal(e) and (fused := e.prim.fused(*ins, **e.params)) is not None:
                value[e.outputs[0]] = fused
                continue
            if _illegal(e):
                ins = [p.convert(v, dtype=v.dtype.compute if v.dtype.format is None else float32) for v in ins]
            out = b.emit(e.prim, ins, e.params)
            for v, new in zip(e.outputs, out if e.prim.multiple else (out,), strict=True):
                value[v] = p.convert(new, dtype=v.dtype)
        return b.build([value[v] for v in program.outputs])


def _illegal(e: Eqn) -> bool:
    return e.prim.kind == "library" and not all(e.prim.has_routine(v.dtype) for v in e.inputs)
