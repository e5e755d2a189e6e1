"""Functions that are too much code for every kernel that needs them: compiled once for a type, and called.

A kernel names what it calls: "function", the primitive, the type of the arguments and of the result, how many arguments, the static
parameter; `cache.get` puts the address in when it loads the kernel. Arguments and result are whole vectors, passed as the
platform's C ABI passes them. A function is kept in the kernel cache like a kernel.
"""
from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from rushlight.compiler import cache, ir
from rushlight.prims.special import NAMES as SPECIAL

# pow and the functions of complex numbers are as much code, but a call where they are kept in place costs them 10-40 % of their speed:
# they are computed in groups of vectors, with more values at hand than a call can pass in registers.
CALLED = SPECIAL | {"polygamma", "erfc", "erfinv", "lgamma", "digamma"}
PREFIX = "function "


def call(b: ir.IRBuilder, op: str, args: Sequence[ir.Value], param: Any) -> ir.Value:
    """Emit the call of a member of CALLED; args: of one type, float, double, or a vector of either."""
    t = args[0].type
    return b.declared(f"{PREFIX}{op} {t.suffix} {len(args)} {param!r}", t, args, pure=True)


def address(name: str) -> int:
    """Where the function of this name is, which is compiled if no tier of the cache has it."""
    def build() -> cache.Made:
        from rushlight.compiler import llvm

        return llvm.machine_code(lambda: module(name))
    return cache.get(name, build)


def module(name: str) -> ir.Module:
    """The LLVM module of the function of this name."""
    from rushlight.compiler import polygamma, vecmath

    op, suffix, arity, param = name.removeprefix(PREFIX).split(" ", 3)
    lanes, _, width = suffix.removeprefix("v").rpartition("f")
    t = {"32": ir.F32, "64": ir.F64}[width]
    t = ir.vector(t, int(lanes)) if lanes else t
    made = ir.Module(name)
    fn = ir.Function(made, t, [t] * int(arity), "k")
    b, n = ir.IRBuilder(fn), ast.literal_eval(param)
    if op == "polygamma":
        b.ret(polygamma.emit(b, fn.args[0], n))
    elif op in vecmath.PARAMETRIC:
        b.ret(vecmath.emit_parametric(op, b, fn.args, n))
    else:
        b.ret(vecmath.emit(op, b, fn.args))
    return made
