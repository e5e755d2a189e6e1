"""Calls of libraries in dtypes that those have not, written in dtypes that they have."""

from __future__ import annotations

from rushlight.core.dtypes import complex32, float32
from rushlight.prims.base import p
from rushlight.program.ir import Builder, Eqn, Program, Var

BLAS_DTYPES = ("float32", "float64", "complex64", "complex128")


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
            if _illegal(e) and ins[0].dtype.kind in "uib":
                value[e.outputs[0]] = _dot(*ins)
                continue
            if _illegal(e):
                ins = [p.convert(v, dtype=v.dtype.compute if v.dtype.format is None else float32) for v in ins]
            out = b.emit(e.prim, ins, e.params)
            for v, new in zip(e.outputs, out if e.prim.multiple else (out,), strict=True):
                value[v] = p.convert(new, dtype=v.dtype)
        return b.build([value[v] for v in program.outputs])


def _illegal(e: Eqn) -> bool:
    if e.prim.name == "dot":
        return e.inputs[0].dtype.name not in BLAS_DTYPES
    return e.prim.kind == "library" and any(v.dtype is complex32 for v in e.inputs)


def _dot(x: Var, y: Var) -> Var:
    *batch, m, k = x.shape
    shape, n = (*batch, m, k, y.shape[-1]), x.ndim
    x = p.broadcast_in_dim(x, shape=shape, dims=tuple(range(n)))
    y = p.broadcast_in_dim(y, shape=shape, dims=(*range(n - 2), n - 1, n))
    if x.dtype.kind == "b":
        return p.reduce_or(p.and_(y, x), dims=(n - 1,))
    return p.reduce_sum(p.mul(y, x), dims=(n - 1,))
