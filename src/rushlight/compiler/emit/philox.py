"""Counter-based random bits."""

from __future__ import annotations

from rushlight.compiler.emit.scalar import Value
from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.ir import I32, I64
from rushlight.compiler.llvm.lanes import const, shaped
from rushlight.program.loops import Node


def random_bits(b: ir.IRBuilder, args: list[Value], node: Node, lanes: int) -> Value:
    """Philox4x32-10 (Salmon et al., SC 2011): key = seed's halves, counter = (offset + i, 0, 0); the first one or two
    words.
    """
    seed, counter = args[0][0], args[1][0]
    half = shaped(I32, lanes)
    k0, k1 = b.trunc(seed, half), b.trunc(b.lshr(seed, const(I64, 32, lanes)), half)
    c = [
        b.trunc(counter, half),
        b.trunc(b.lshr(counter, const(I64, 32, lanes)), half),
        const(I32, 0, lanes),
        const(I32, 0, lanes),
    ]
    for r in range(10):
        if r:
            k0 = b.add(k0, const(I32, 0x9E3779B9 - (1 << 32), lanes))
            k1 = b.add(k1, const(I32, 0xBB67AE85 - (1 << 32), lanes))
        h0, l0 = _wide_mul(b, c[0], 0xD2511F53, lanes)
        h1, l1 = _wide_mul(b, c[2], 0xCD9E8D57, lanes)
        c = [b.xor(b.xor(h1, c[1]), k0), l1, b.xor(b.xor(h0, c[3]), k1), l0]
    if node.dtype == "uint32":
        return [c[0]]
    wide = shaped(I64, lanes)
    return [b.or_(b.zext(c[0], wide), b.shl(b.zext(c[1], wide), const(I64, 32, lanes)))]


def _wide_mul(b: ir.IRBuilder, x: ir.Value, m: int, lanes: int) -> tuple[ir.Value, ir.Value]:
    wide = b.mul(b.zext(x, shaped(I64, lanes)), const(I64, m, lanes))
    half = shaped(I32, lanes)
    return b.trunc(b.lshr(wide, const(I64, 32, lanes)), half), b.trunc(wide, half)
