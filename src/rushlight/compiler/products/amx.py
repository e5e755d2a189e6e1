"""The kernel of a product of bfloat16 or int8 in AMX's tiles: 32 x 32 elements of C, in float32 or int32, as four tiles
of 16 x 16.

A step takes a line of terms of K, 32 of bfloat16 or 64 of int8: two tiles of A, whose rows are such lines, `a_row`
bytes apart (and `a_k` bytes to the next step), and two of B, whose rows hold words of neighbours along K for each
column. C is read before the first step, so the sum goes on where it was. (Of bfloat16 the processor adds up the
even and the odd terms of a step apart, then both to C, all rounded to nearest, and takes subnormals as zeros.)

It takes the address of the numbers of `core/native/product.h` (`rl_tile`); `add` says what to do: 0 set C, 1 add to C,
2 configure the tiles as the 64 bytes at `a` say, 3 leave them.
"""

from __future__ import annotations

from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.control import Turns
from rushlight.compiler.llvm.ir import I8, I64, PTR, VOID
from rushlight.compiler.products.shapes import Amx
from rushlight.compiler.products.tile import A_K, A_ROW, ADD, C_ROW, A, B, C, K, field

_ROW = 64  # bytes of a tile's row
_STEP = 32 * _ROW  # bytes of a step of B


def module(amx: Amx) -> ir.Module:
    """The kernel `k`."""
    made = ir.Module("amx")
    fn = ir.Function(made, VOID, [PTR], "k")
    b, args = ir.IRBuilder(fn), fn.args[0]
    what = field(b, args, ADD)
    with b.if_then(b.icmp_signed("==", what, I64(2)), likely=False):
        b.intrinsic("x86.ldtilecfg", VOID, [field(b, args, A, PTR)])
        b.ret_void()
    with b.if_then(b.icmp_signed("==", what, I64(3)), likely=False):
        b.intrinsic("x86.tilerelease", VOID, [])
        b.ret_void()
    c, row = field(b, args, C, PTR), field(b, args, C_ROW)
    places = [_moved(b, c, b.add(b.mul(row, I64(16 * (t // 2))), I64(_ROW * (t % 2)))) for t in range(4)]
    with b.if_else(b.icmp_signed("==", what, I64(1))) as (go_on, begin):
        with go_on:
            for t, p in enumerate(places):
                b.intrinsic("x86.tileloadd64", VOID, [I8(t), p, row])
        with begin:
            for t in range(4):
                b.intrinsic("x86.tilezero", VOID, [I8(t)])
    _steps(b, args, "x86.tdpbf16ps" if amx.dtype == "bfloat16" else "x86.tdpbssd")
    for t, p in enumerate(places):
        b.intrinsic("x86.tilestored64", VOID, [I8(t), p, row])
    b.ret_void()
    return made


def _moved(b: ir.IRBuilder, p: ir.Value, by: ir.Value) -> ir.Value:
    return b.gep(p, [by], source_etype=ir.I8)


def _steps(b: ir.IRBuilder, args: ir.Value, multiply: str) -> None:
    """C += A @ B over so many (at least one) steps."""
    steps, a, y = field(b, args, K), field(b, args, A, PTR), field(b, args, B, PTR)
    row, step = field(b, args, A_ROW), field(b, args, A_K)
    lower = b.mul(row, I64(16))
    turns = Turns(b, steps, a, y)
    left, pa, pb = turns.carried
    for t in range(2):
        b.intrinsic("x86.tileloadd64", VOID, [I8(4 + t), _moved(b, pa, lower) if t else pa, row])
        b.intrinsic("x86.tileloadd64", VOID, [I8(6 + t), _moved(b, pb, I64(_ROW * t)), I64(2 * _ROW)])
    for t in range(4):
        b.intrinsic(multiply, VOID, [I8(t), I8(4 + t // 2), I8(6 + t % 2)])
    one_less = b.sub(left, I64(1))
    next_a, next_b = _moved(b, pa, step), _moved(b, pb, I64(_STEP))
    turns.close(b.icmp_signed("!=", one_less, I64(0)), one_less, next_a, next_b)
