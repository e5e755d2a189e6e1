"""Functions of one float by a polynomial of their own on each of 32 segments, whose coefficients lie in registers.

AVX-512 has an instruction that picks from a table of 32 floats, lane by lane; with AVX2 it is four instructions that
pick from eight and six that put them together. A polynomial of degree 6 with coefficients so picked costs less than one
division, which is what the usual formulas of tanh, erfinv and the logistic function have beside an exponential or a
logarithm.

Each segment's centre is a float where the function's value is very nearly a float too, so that rounding that value
costs nothing. The tables are made by benchmarks/minimax.py.

Source:
    S. Gal, "Computing elementary functions: a new approach for achieving high accuracy and good performance" (1986).
"""

from __future__ import annotations

import functools
import operator
import struct
from collections.abc import Sequence

from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.lanes import in_parts
from rushlight.compiler.vecmath.base import F, I, fma
from rushlight.compiler.vecmath.coefficients import COEFFICIENTS

ROWS = 32
BITS = 2  # four segments a binade
FIRST = 0.25  # what lies below belongs to one segment,
BELOW_FIRST = FIRST * (1 - 2.0 ** -(BITS + 1))  # which this is the lower end of, as far as indices go


def on_segments(name: str, a: F, index: I, odd: bool = True) -> F:
    """The function of table `name` at a >= 0, in floats, by the segments that `index` names (modulo 32).

    A row of the table is (centre, base, t0, t1, ...): f(a) = base + h (t0 + t1 h + ...), where h = a - centre is exact
    and base = f(centre). On the segment at zero of an odd function the base is h itself, for f(a) is a times something
    near 1 there.
    """
    rows = [COEFFICIENTS[f"{name}.f32"][i : i + ROWS] for i in range(0, len(COEFFICIENTS[f"{name}.f32"]), ROWS)]
    centre, base, *terms = [_pick(f"rl.{name}.{i}", row, index) for i, row in enumerate(rows)]
    h = a - centre
    # 0 in the table at zero; elsewhere larger than any distance from the centre
    base = base.at_least(h) if odd else base
    return fma(a.k.horner(h, terms), h, base)


def segment(x: F) -> I:
    """The segment of a positive x: the low bits of its exponent, and the highest of its mantissa."""
    return x.as_int().lshr(x.k.mantissa - BITS)


def _pick(name: str, row: Sequence[float], index: I) -> F:
    """row[index % 32], lane by lane."""
    from rushlight.compiler.llvm import machine

    k = index.k
    b, lanes = k.b, k.lanes
    words = tuple(struct.unpack("<i", struct.pack("<f", value))[0] for value in row)
    if not lanes or not machine.permutes():
        array = k.table(name, lambda: words)
        places = (index & (ROWS - 1)).v
        if not lanes:
            return F(k, b.load(b.gep(array, [places], ir.I32, inbounds=True), ir.F32))
        value = ir.undefined(k.type)
        for lane in range(lanes):
            at = b.gep(array, [b.extract_element(places, ir.I32(lane))], ir.I32, inbounds=True)
            value = b.insert_element(value, b.load(at, ir.F32), ir.I32(lane))
        return F(k, value)
    wide = machine.masks()
    pick = _pick_16 if wide else _pick_8
    return F(k, in_parts(b, 16 if wide else 8, lambda part: pick(b, words, part), index.v))


def _floats(b: ir.IRBuilder, words: tuple[int, ...]) -> ir.Value:
    return b.bitcast(ir.lanes(ir.I32, words), ir.vector(ir.F32, len(words)))


def _pick_16(b: ir.IRBuilder, words: tuple[int, ...], index: ir.Value) -> ir.Value:
    low, high = _floats(b, words[:16]), _floats(b, words[16:])
    return b.intrinsic("x86.avx512.vpermi2var.ps.512", low.type, [low, index, high])


def _pick_8(b: ir.IRBuilder, words: tuple[int, ...], index: ir.Value) -> ir.Value:
    """Four tables of eight: the first, and what the others differ by, under masks, which is less than choosing."""
    t = index.type
    floats, top = ir.vector(ir.F32, 8), ir.constant(t, 31)
    third, fourth = (b.ashr(b.shl(index, ir.constant(t, 31 - bit)), top) for bit in (3, 4))
    tables = [words[k : k + 8] for k in (0, 8, 16, 24)]
    parts = []
    for members in ((0,), (0, 1), (0, 2), (0, 1, 2, 3)):
        differ = tuple(functools.reduce(operator.xor, of) for of in zip(*(tables[k] for k in members), strict=True))
        picked = b.intrinsic("x86.avx2.permps", floats, [_floats(b, differ), index])
        parts.append(b.bitcast(picked, t))
    first, by_third, by_fourth, by_both = parts
    by_fourth = b.xor(by_fourth, b.and_(by_both, third))
    return b.bitcast(b.xor(b.xor(first, b.and_(by_third, third)), b.and_(by_fourth, fourth)), floats)
