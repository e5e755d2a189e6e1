"""Values: how numbers of each dtype are held, read and written, and converted.

A value is a list of LLVM values: one, or the real and imaginary parts. Booleans are i1, numbers of fewer than 32 bits
(and parts that are) are held in float and rounded after every primitive, so that a fused program gives the bits of one
run primitive by primitive.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.ir import F16, F32, F64, I1, I8, I16, I32, I64
from rushlight.compiler.llvm.lanes import const, element, intrinsic, lanes_of, shaped
from rushlight.compiler.vecmath import minifloat
from rushlight.core.dtypes import dtype

Value = list[ir.Value]


def compute_types(d: dtype) -> list[ir.Type]:
    """The types of the parts that a value of this dtype is computed in."""
    if d.kind == "b":
        return [I1]
    if d.kind in "ui":
        return [ir.integer(8 * d.itemsize)]
    if packed(d):
        return [I8]
    if d.kind == "c":
        return [F64, F64] if d.name == "complex128" else [F32, F32]
    return [F64 if d.name == "float64" else F32]


def packed(d: dtype) -> bool:
    """Whether an element is several numbers, which no kernel reads."""
    return d.format is not None and d.format.parts > 1


def memory_type(d: dtype) -> ir.Type:
    """The type of one part as it lies in memory."""
    part = d.to_real()
    if d.kind == "b" or part.format is not None:
        return I8
    if part.name == "float16":
        return F16
    if part.name == "bfloat16":
        return I16
    return compute_types(d)[0]


def _to_float(x: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", x))[0])
    except OverflowError:
        return math.copysign(math.inf, x)


def constant(d: dtype, value: Any, lanes: int) -> Value:
    """A Python number as a value of dtype d."""
    if d.kind == "c":
        z, part = complex(value), d.to_real()
        return [const(t, _nearest(part, x), lanes) for t, x in zip(compute_types(d), (z.real, z.imag), strict=True)]
    t = compute_types(d)[0]
    if d.kind == "b":
        return [const(t, int(bool(value)), lanes)]
    if packed(d):
        return [const(t, d.format.encode(value), lanes)]  # type: ignore[union-attr]
    if d.kind in "ui":
        n = int(value) & ((1 << t.width) - 1)
        return [const(t, n - (1 << t.width) if n >> (t.width - 1) else n, lanes)]
    return [const(t, float(_nearest(d, value)), lanes)]


def _nearest(d: dtype, value: float) -> float:
    """The number of a floating dtype of fewer than 32 bits that is nearest to `value`; of the others `value`."""
    if d.format is not None:
        return d.format.decode(d.format.encode(value))
    if d.name == "float16":
        try:
            return float(struct.unpack("e", struct.pack("e", _to_float(float(value))))[0])
        except OverflowError:
            return math.copysign(math.inf, value)
    if d.name == "bfloat16" and not math.isnan(value):
        bits = struct.unpack("I", struct.pack("f", _to_float(float(value))))[0]
        bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
        return float(struct.unpack("f", struct.pack("I", bits))[0])
    return value


# -- memory <-> compute
# --------------------------------------------------------------------------------------------------
def from_memory(b: ir.IRBuilder, v: ir.Value, d: dtype) -> ir.Value:
    """One part of a value of dtype d, as it is computed with."""
    if d.kind == "b":
        return b.icmp_unsigned("!=", v, const(I8, 0, lanes_of(v)))
    return _conversions(d.to_real())[0](b, v)


def to_memory(b: ir.IRBuilder, v: ir.Value, d: dtype) -> ir.Value:
    """One part of a value of dtype d, as it lies in memory."""
    if d.kind == "b":
        return b.zext(v, shaped(I8, lanes_of(v)))
    return _conversions(d.to_real())[1](b, v)


def _conversions(part: dtype) -> tuple[_Convert, _Convert]:
    """How values of a dtype other than complex and bool are converted from their form in memory to the type that they
    are computed in, and back.
    """
    if part.format is None or packed(part):
        return _HALVES.get(part.name, (lambda b, v: v, lambda b, v: v))
    form = part.format
    return lambda b, v: minifloat.decode(b, v, form), lambda b, v: minifloat.encode(b, v, form)


def _from_bfloat16(b: ir.IRBuilder, v: ir.Value) -> ir.Value:
    n = lanes_of(v)
    wide = b.bitcast(b.shl(b.zext(v, shaped(I32, n)), const(I32, 16, n)), shaped(F32, n))
    wide.narrow = v
    return wide


def _to_bfloat16(b: ir.IRBuilder, v: ir.Value) -> ir.Value:
    n = lanes_of(v)
    if v.narrow is not None and v.narrow.type == shaped(I16, n):  # it has been rounded (after its primitive), or read
        return v.narrow
    bits = b.bitcast(v, shaped(I32, n))
    odd = b.and_(b.lshr(bits, const(I32, 16, n)), const(I32, 1, n))
    up = b.lshr(b.add(b.add(bits, const(I32, 0x7FFF, n)), odd), const(I32, 16, n))
    nan = b.fcmp_unordered("uno", v, v)
    # A NaN keeps its sign, as it does where a processor converts; rounding up could make it a zero.
    quiet = b.or_(b.lshr(bits, const(I32, 16, n)), const(I32, 0x40, n))
    return b.trunc(b.select(nan, quiet, up), shaped(I16, n))


def _from_float16(b: ir.IRBuilder, v: ir.Value) -> ir.Value:
    wide = b.fpext(v, shaped(F32, lanes_of(v)))
    wide.narrow = v
    return wide


def _to_float16(b: ir.IRBuilder, v: ir.Value) -> ir.Value:
    half = shaped(F16, lanes_of(v))
    return v.narrow if v.narrow is not None and v.narrow.type == half else b.fptrunc(v, half)


_Convert = Callable[[ir.IRBuilder, ir.Value], ir.Value]
_HALVES: dict[str, tuple[_Convert, _Convert]] = {
    "float16": (_from_float16, _to_float16),
    "bfloat16": (_from_bfloat16, _to_bfloat16),
}


def is_narrow(d: dtype) -> bool:
    """Whether the values (or their parts) have fewer bits than what they are held in, float."""
    return d.kind in "fc" and d.to_real().itemsize < 4


def round_half(b: ir.IRBuilder, v: Value, d: dtype) -> Value:
    """Round a value whose dtype is held in a wider one to that dtype."""
    if not is_narrow(d):
        return v
    return [from_memory(b, to_memory(b, x, d), d) for x in v]


# -- conversion
# ----------------------------------------------------------------------------------------------------------
def convert(b: ir.IRBuilder, v: Value, src: dtype, dst: dtype) -> Value:
    """Convert between dtypes.

    A float out of an integer's range becomes what PyTorch (and NumPy) give on x86: it is truncated to int32 (to int64
    for wider dtypes, uint32 and uint8), of which the low bits are taken; NaN, and numbers out of that range, become its
    least number.
    """
    n = lanes_of(v[0])
    if src is dst:
        return v
    if src.kind == "c":
        if dst.kind == "c":
            return round_half(b, [_float_cast(b, x, compute_types(dst)[0]) for x in v], dst)
        if dst.kind == "b":
            return [b.or_(*(b.fcmp_unordered("!=", x, const(element(x.type), 0.0, n)) for x in v))]
        v, src = v[:1], src.to_real()
        if src is dst:
            return v
    x, to = v[0], compute_types(dst)[0]
    if dst.kind == "c":
        real = convert(b, v, src, dst.to_real())[0]
        return [real, const(to, 0.0, n)]
    if dst.kind == "b":
        if src.kind == "f":
            return [b.fcmp_unordered("!=", x, const(element(x.type), 0.0, n))]
        return [b.icmp_unsigned("!=", x, const(element(x.type), 0, n))]
    if dst.kind == "f":
        if src.kind == "f":
            if is_narrow(dst) and src.name == "float64":
                x = b.fptrunc(x, shaped(F32, n))
            return round_half(b, [_float_cast(b, x, to)], dst)
        wide = F32 if is_narrow(dst) else to
        cast = b.uitofp if src.kind in "bu" else b.sitofp
        return round_half(b, [cast(x, shaped(wide, n))], dst)
    if src.kind == "f":
        if dst.name == "uint64":
            half = const(element(x.type), 2.0**63, n)
            high = b.fcmp_ordered(">=", x, half)
            low = _truncated(b, b.select(high, b.fsub(x, half), x), I64)
            return [b.xor(low, b.select(high, const(I64, -(1 << 63), n), const(I64, 0, n)))]
        # (A float32 beyond int32 is a multiple of 256.)
        narrow = dst.itemsize < 4 and not (dst.name == "uint8" and src.name == "float64")
        wide_t = I32 if narrow or dst.name == "int32" else I64
        big = _truncated(b, x, wide_t)
        return [b.trunc(big, shaped(to, n)) if wide_t.width > to.width else big]
    if src.kind == "b":
        return [b.zext(x, shaped(to, n))]
    have = element(x.type).width
    if to.width < have:
        return [b.trunc(x, shaped(to, n))]
    if to.width == have:
        return [x]
    return [(b.zext if src.kind == "u" else b.sext)(x, shaped(to, n))]


def _truncated(b: ir.IRBuilder, x: ir.Value, to: ir.Type) -> ir.Value:
    """x as a signed integer, truncated; the least one where x is NaN or out of range, as x86 has it (and PyTorch and
    NumPy there).
    """
    n, t = lanes_of(x), element(x.type)
    inside = b.fcmp_ordered("<", intrinsic(b, "fabs", x.type, [x]), const(t, 2.0 ** (to.width - 1), n))
    whole = b.fptosi(b.select(inside, x, const(t, 0.0, n)), shaped(to, n))
    return b.select(inside, whole, const(to, -(1 << (to.width - 1)), n))


def _float_cast(b: ir.IRBuilder, x: ir.Value, to: ir.Type) -> ir.Value:
    have = element(x.type)
    if have is to:
        return x
    return (b.fpext if to is F64 else b.fptrunc)(x, shaped(to, lanes_of(x)))


def bitcast(b: ir.IRBuilder, v: Value, src: dtype, dst: dtype) -> Value:
    """Reinterpret the bits; both dtypes have one itemsize."""
    x = to_memory(b, v[0], src)
    n = lanes_of(x)
    return [from_memory(b, b.bitcast(x, shaped(memory_type(dst), n)), dst)]
