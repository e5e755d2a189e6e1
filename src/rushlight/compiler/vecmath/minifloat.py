"""Floating formats of 8 bits as LLVM IR: their codes become float32, and float32 becomes a code (`core/formats.py` says
what the fields mean).

Nothing here depends on how the processor treats subnormal numbers: those of a format are integers times a power of two.
"""

from __future__ import annotations

from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.ir import F32, I8, I32
from rushlight.core.formats import Format

_QUIET_NAN, _INFINITY = 0x7FC00000, 0x7F800000


def decode(b: ir.IRBuilder, codes: ir.Value, form: Format) -> ir.Value:
    """The float32 of codes (i8)."""
    t, f = _like(I32, codes), _like(F32, codes)
    code = b.zext(codes, t)
    if not form.mantissa:
        # code 0: a subnormal float32
        bits = b.select(b.icmp_unsigned("==", code, t(0)), t(1 << 22), b.shl(code, t(23)))
        return b.bitcast(b.select(b.icmp_unsigned("==", code, t(form.nan)), t(_QUIET_NAN), bits), f)
    m = form.mantissa
    magnitude = b.and_(code, t(0x7F))
    normal = b.add(b.shl(magnitude, t(23 - m)), t((127 - form.bias) << 23))
    small = b.bitcast(b.fmul(b.uitofp(magnitude, f), f(form.smallest_subnormal)), t)
    bits = b.select(b.icmp_unsigned("<", magnitude, t(1 << m)), small, normal)
    if form.negative_zero:
        if form.beyond not in (form.nan, form.largest):
            bits = b.select(b.icmp_unsigned(">", magnitude, t(form.largest)), t(_INFINITY), bits)
        last = max(form.largest, form.beyond)
        bits = b.select(b.icmp_unsigned(">", magnitude, t(last)), t(_QUIET_NAN), bits)
    bits = b.or_(bits, b.shl(b.and_(code, t(0x80)), t(24)))
    if not form.negative_zero:
        bits = b.select(b.icmp_unsigned("==", code, t(form.nan)), t(_QUIET_NAN), bits)
    return b.bitcast(bits, f)


def encode(b: ir.IRBuilder, x: ir.Value, form: Format) -> ir.Value:
    """The codes (i8) nearest to float32 numbers, ties to even (to the greater power where there is no mantissa)."""
    t, f = _like(I32, x), _like(F32, x)
    bits = b.bitcast(x, t)
    magnitude = b.and_(bits, t(0x7FFFFFFF))
    if not form.mantissa:
        e = b.lshr(magnitude, t(23))
        up = b.select(
            b.icmp_unsigned("==", e, t(0)),
            b.zext(b.icmp_unsigned(">", magnitude, t(1 << 22)), t),
            b.and_(b.lshr(magnitude, t(22)), t(1)),
        )
        code = b.select(b.icmp_unsigned("==", e, t(255)), t(form.nan), b.add(e, up))
        return b.trunc(code, _like(I8, x))
    shift = 23 - form.mantissa
    odd = b.and_(b.lshr(magnitude, t(shift)), t(1))
    normal = b.sub(
        b.lshr(b.add(b.add(magnitude, t((1 << (shift - 1)) - 1)), odd), t(shift)), t((127 - form.bias) << form.mantissa)
    )
    # A sum with this power of two has the format's smallest number as its last place.
    power = form.smallest_subnormal * 2.0**23
    small = b.sub(b.bitcast(b.fadd(b.bitcast(magnitude, f), f(power)), t), b.bitcast(f(power), t))
    code = b.select(b.fcmp_ordered("<", b.bitcast(magnitude, f), f(form.smallest_normal)), small, normal)
    code = b.select(b.icmp_unsigned(">", code, t(form.largest)), t(form.beyond), code)
    code = b.select(b.icmp_unsigned(">", magnitude, t(_INFINITY)), t(form.nan), code)
    sign = b.and_(b.lshr(bits, t(24)), t(0x80))
    if not form.negative_zero:
        alone = b.or_(b.icmp_unsigned("==", code, t(0)), b.icmp_unsigned("==", code, t(form.nan)))
        sign = b.select(alone, t(0), sign)
    return b.trunc(b.or_(code, sign), _like(I8, x))


def _like(t: ir.Type, x: ir.Value) -> ir.Type:
    """`t` in as many lanes as `x` has."""
    return ir.vector(t, x.type.count) if x.type.count else t
