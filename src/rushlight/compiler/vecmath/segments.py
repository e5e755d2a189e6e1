"""Functions of one float by a polynomial of their own on each of 32 segments, whose coefficients lie in registers;
tables of doubles with a row for each of 16 parts of a binade.

AVX-512 has an instruction that picks from a table of 32 floats, lane by lane; elsewhere the rows of eight lanes are
loaded and transposed, 8 loads, 8 inserts and 16 shuffles for all numbers of them. A polynomial of degree 6 with
coefficients so picked costs less than one division, which is what the usual formulas of tanh, erfinv and the logistic
function have beside an exponential or a logarithm.

Each segment's centre is a float where the function's value is very nearly a float too, so that rounding that value
costs nothing. The tables are made by benchmarks/minimax.py.

Source:
    S. Gal, "Computing elementary functions: a new approach for achieving high accuracy and good performance" (1986).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.lanes import in_parts, joined, transposed_squares
from rushlight.compiler.vecmath.base import F, I, Kit, fma
from rushlight.compiler.vecmath.segment_tables import TABLES

ROWS = 32
TERMS = 8  # numbers of a segment
BITS = 2  # four segments a binade
FIRST = 0.25  # what lies below belongs to one segment,
BELOW_FIRST = FIRST * (1 - 2.0 ** -(BITS + 1))  # which this is the lower end of, as far as indices go


def on_segments(name: str, a: F, index: I, odd: bool = True) -> F:
    """The function of table `name` at a >= 0, in floats, by the segments that `index` names (modulo 32).

    A row of the table is (centre, base, t0, t1, ...): f(a) = base + h (t0 + t1 h + ...), where h = a - centre is exact
    and base = f(centre). On the segment at zero of an odd function the base is h itself, for f(a) is a times something
    near 1 there.
    """
    from rushlight.compiler.llvm import machine

    k = a.k
    flat = TABLES[f"{name}.f32"]
    rows = [flat[i : i + ROWS] for i in range(0, len(flat), ROWS)]
    if k.lanes and machine.masks():
        return _polynomial(a, [_pick(row, index) for row in rows], odd)
    words = k.table(f"rl.{name}", lambda: [x for segment in zip(*rows, strict=True) for x in _words(segment)])
    if not k.lanes:
        first = (index & (ROWS - 1)) * len(rows)
        return _polynomial(a, [k.lookup(words, first + i).as_float() for i in range(len(rows))], odd)
    eight = Kit(k.b, ir.vector(ir.F32, TERMS))

    def part(a: ir.Value, index: ir.Value) -> ir.Value:
        terms = [F(eight, v) for v in _turned(k.b, words, I(eight, index) & (ROWS - 1))]
        return _polynomial(F(eight, a), terms, odd).v

    return F(k, in_parts(k.b, TERMS, part, a.v, index.v))


def _polynomial(a: F, row: Sequence[F], odd: bool) -> F:
    centre, base, *terms = row
    h = a - centre
    # 0 in the table at zero; elsewhere larger than any distance from the centre
    base = base.at_least(h) if odd else base
    return fma(a.k.horner(h, terms), h, base)


def segment(x: F) -> I:
    """The segment of a positive x: the low bits of its exponent, and the highest of its mantissa."""
    return x.as_int().lshr(x.k.mantissa - BITS)


def sixteenths(name: str, index: I) -> list[F]:
    """The numbers of each lane's row, `index` modulo 16, of a table of doubles: three per row, column by column."""
    from rushlight.compiler.llvm import machine

    k, flat = index.k, TABLES[f"{name}.f64"]
    columns = [flat[i : i + 16] for i in range(0, len(flat), 16)]
    if k.lanes and machine.masks():
        return [_pick_double(column, index) for column in columns]
    # four numbers per row: a vector of AVX
    words = k.table(f"rl.{name}", lambda: [x for row in zip(*columns, strict=True) for x in _bits((*row, 0.0))])
    first = (index & 15) << 2
    if not k.lanes:
        return [k.lookup(words, first + i).as_float() for i in range(len(columns))]
    loaded = []
    for lane in range(k.lanes):
        at = k.b.gep(words, [k.b.extract_element(first.v, ir.I64(lane))], source_etype=ir.I64)
        loaded.append(k.b.load(at, typ=ir.vector(ir.F64, 4), align=8))
    squares = [transposed_squares(k.b, loaded[i : i + 4]) for i in range(0, k.lanes, 4)]
    return [F(k, joined(k.b, [square[i] for square in squares])) for i in range(len(columns))]


def _pick_double(column: Sequence[float], index: I) -> F:
    """column[index % 16], lane by lane."""
    b, eight = index.k.b, ir.vector(ir.F64, 8)
    low, high = (b.bitcast(ir.lanes(ir.I64, _bits(column[i : i + 8])), eight) for i in (0, 8))

    def pick(part: ir.Value) -> ir.Value:
        return b.intrinsic("x86.avx512.vpermi2var.pd.512", eight, [low, part, high])

    return F(index.k, in_parts(b, 8, pick, index.v))


def _bits(row: Sequence[float]) -> tuple[int, ...]:
    return tuple(struct.unpack("<q", struct.pack("<d", value))[0] for value in row)


def _words(row: Sequence[float]) -> tuple[int, ...]:
    return tuple(struct.unpack("<i", struct.pack("<f", value))[0] for value in row)


def _pick(row: Sequence[float], index: I) -> F:
    """row[index % 32], lane by lane."""
    k = index.k
    words, half = _words(row), ir.vector(ir.F32, 16)
    low, high = (k.b.bitcast(ir.lanes(ir.I32, words[i : i + 16]), half) for i in (0, 16))

    def pick(part: ir.Value) -> ir.Value:
        return k.b.intrinsic("x86.avx512.vpermi2var.ps.512", half, [low, part, high])

    return F(k, in_parts(k.b, 16, pick, index.v))


def _turned(b: ir.IRBuilder, words: ir.Value, index: I) -> list[ir.Value]:
    """The TERMS numbers of the segments of eight lanes, each a vector: eight rows, transposed."""
    pairs = b.bitcast((index << 5).v, ir.vector(ir.I64, 4))
    halves: list[list[ir.Value]] = [[], []]
    for lane in range(8):
        pair = b.extract_element(pairs, ir.I32(lane // 2))
        at = b.gep(words, [b.lshr(pair, ir.I64(32)) if lane % 2 else b.and_(pair, ir.I64(0xFFFF))], source_etype=ir.I8)
        for half, loaded in enumerate(halves):
            place = b.gep(at, [ir.I64(16 * half)], source_etype=ir.I8)
            loaded.append(b.load(place, typ=ir.vector(ir.F32, 4), align=4))
    out = []
    for loaded in halves:
        # Lanes 0 to 3 beside lanes 4 to 7, as the loads put them; then two squares of four are transposed side by side.
        v = [b.shuffle(x, y, range(8)) for x, y in zip(loaded[:4], loaded[4:], strict=True)]
        low, high = ([0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15])
        for order in (low, high):
            x, y = b.shuffle(v[0], v[1], order), b.shuffle(v[2], v[3], order)
            out += [b.shuffle(x, y, [0, 1, 8, 9, 4, 5, 12, 13]), b.shuffle(x, y, [2, 3, 10, 11, 6, 7, 14, 15])]
    return out
