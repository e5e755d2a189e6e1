"""Functions that are too much code for every kernel that needs them: compiled once for a type, and called.

A kernel names what it calls: "function", the primitive, the type of the arguments and of the result, how many
arguments, the static parameter; or "function first_of_strided", or "function turn", and the vector's type. The cache
puts the address in when it loads the kernel (`kernels/called.py`). Vectors are passed as the platform's C ABI passes
them. A function is kept in the kernel cache like a kernel.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.lanes import transposed_squares
from rushlight.compiler.llvm.objfile import PREFIX


def call(b: ir.IRBuilder, op: str, args: Sequence[ir.Value], param: Any) -> ir.Value:
    """Emit the call of a primitive whose cost says that it is called; args: of one type, float, double, or a vector
    of either.
    """
    t = args[0].type
    return b.declared(f"{PREFIX}{op} {t.suffix} {len(args)} {param!r}", t, args, pure=True)


def first_of_strided(b: ir.IRBuilder, size: int, lanes: int, p: ir.Value, stride: ir.Value, n: ir.Value) -> ir.Value:
    """Emit a load of n (1 to `lanes`) integers of so many bytes, `stride` bytes apart, into a vector; the other lanes
    are 0.
    """
    t = ir.vector(ir.integer(8 * size), lanes)
    return b.declared(f"{PREFIX}first_of_strided {t.suffix}", t, [p, stride, n], pure=False)


def turn(b: ir.IRBuilder, size: int, lanes: int, p: ir.Value, step: ir.Value, to: ir.Value, down: ir.Value) -> None:
    """Emit the transposition of a square of so many vectors of integers of so many bytes: from p, one vector `step`
    bytes behind the other, to another place, or the same one, `down` bytes behind one another.
    """
    t = ir.vector(ir.integer(8 * size), lanes)
    b.declared(f"{PREFIX}turn {t.suffix}", ir.VOID, [p, step, to, down], pure=False)


def module(name: str) -> ir.Module:
    """The LLVM module of the function of this name."""
    from rushlight.compiler import vecmath
    from rushlight.compiler.vecmath import polygamma

    op, suffix, *rest = name.removeprefix(PREFIX).split(" ", 3)
    lanes, letter, width = re.fullmatch(r"(?:v(\d+))?([if])(\d+)", suffix).groups()  # type: ignore[union-attr]
    t = ir.integer(int(width)) if letter == "i" else {"32": ir.F32, "64": ir.F64}[width]
    t = ir.vector(t, int(lanes)) if lanes else t
    made = ir.Module(name)
    if op == "first_of_strided":
        _first_of_strided(made, t)
        return made
    if op == "turn":
        _turn(made, t)
        return made
    arity, param = rest
    fn = ir.Function(made, t, [t] * int(arity), "k")
    b, n = ir.IRBuilder(fn), ast.literal_eval(param)
    if op == "polygamma":
        b.ret(polygamma.emit(b, fn.args[0], n))
    elif op in vecmath.PARAMETRIC:
        b.ret(vecmath.emit_parametric(op, b, fn.args, n))
    else:
        b.ret(vecmath.emit(op, b, fn.args))
    return made


def _first_of_strided(made: ir.Module, t: ir.Type) -> None:
    fn = ir.Function(made, t, [ir.PTR, ir.I64, ir.I64], "k")
    b, (p, stride, n) = ir.IRBuilder(fn), fn.args
    out = ir.constant(t, 0)
    for j in range(t.count):
        there = b.icmp_signed("<", ir.I64(j), n)
        at = b.gep(p, [b.select(there, b.mul(stride, ir.I64(j)), ir.I64(0))], source_etype=ir.I8)
        x = b.load(at, typ=t.element, align=t.element.width // 8)
        out = b.insert_element(out, b.select(there, x, t.element(0)), ir.I32(j))
    b.ret(out)


def _turn(made: ir.Module, t: ir.Type) -> None:
    fn = ir.Function(made, ir.VOID, [ir.PTR, ir.I64, ir.PTR, ir.I64], "k")
    b, (p, step, to, down) = ir.IRBuilder(fn), fn.args
    align = t.element.width // 8
    source, target = (
        [b.gep(start, [b.mul(apart, ir.I64(j))], source_etype=ir.I8) for j in range(t.count)]
        for start, apart in ((p, step), (to, down))
    )
    turned = transposed_squares(b, [b.load(q, typ=t, align=align) for q in source])
    for q, v in zip(target, turned, strict=True):
        b.store(v, q, align=align)
    b.ret_void()
