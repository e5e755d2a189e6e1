"""Calls of libraries in dtypes that those lack, written in dtypes that they have; and calls that are kernels better."""

from __future__ import annotations

from rushlight.core.dtypes import float32
from rushlight.prims.base import p
from rushlight.program.ir import Builder, Eqn, Program, Var


def legalise(program: Program) -> Program:
    """The program with products of half types (and narrower ones) made in the dtype that they compute in, other calls
    in complex32 as well, and products of integers and bools, of vectors, and of a single term as fused kernels."""
    if not any(e.prim.kind == "library" for e in program.eqns):
        return program
    return program.rewritten(_legal)


def _legal(e: Eqn, ins: list[Var]) -> list[Var] | None:
    if e.prim.kind != "library":
        return None
    fused = e.prim.fused(*ins, **e.params)
    if fused is not None:
        return [fused]
    if not _illegal(e):
        return None
    wide = [p.convert(v, dtype=v.dtype.compute if v.dtype.format is None else float32) for v in ins]
    outs = Builder.current().results(e.prim, wide, e.params)
    return [p.convert(new, dtype=v.dtype) for v, new in zip(e.outputs, outs, strict=True)]


def _illegal(e: Eqn) -> bool:
    return not all(e.prim.has_routine(v.dtype) for v in e.inputs)
