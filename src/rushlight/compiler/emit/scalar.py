"""Pointwise primitives as LLVM IR: one function per primitive over values of L lanes (or plain scalars).

A value is a list of LLVM values: one, or the real and imaginary parts. Booleans are i1, numbers of fewer than 32 bits
(and parts that are) are held in float and rounded after every primitive, so that a fused program gives the bits of one
run primitive by primitive. Nothing here is undefined in LLVM's sense: integer division by zero, shifts past the width
and out-of-range conversions have results.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any

from rushlight.compiler import vecmath
from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.ir import F16, F32, F64, I1, I8, I16, I32, I64
from rushlight.compiler.vecmath import minifloat
from rushlight.core.dtypes import by_name, dtype

Value = list[ir.Value]


def shaped(t: ir.Type, lanes: int) -> ir.Type:
    """`t` in `lanes` lanes; 0 means a plain scalar."""
    return ir.vector(t, lanes) if lanes else t


def lanes_of(v: ir.Value) -> int:
    """How many lanes; 0 of a plain scalar."""
    return v.type.count


def element(t: ir.Type) -> ir.Type:
    return t.element


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


def const(t: ir.Type, x: Any, lanes: int) -> ir.Value:
    """The constant x of element type t in every lane."""
    return ir.constant(shaped(t, lanes), x)


def _to_float(x: float) -> float:
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
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
            return struct.unpack("e", struct.pack("e", _to_float(float(value))))[0]
        except OverflowError:
            return math.copysign(math.inf, value)
    if d.name == "bfloat16" and not math.isnan(value):
        bits = struct.unpack("I", struct.pack("f", _to_float(float(value))))[0]
        bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
        return struct.unpack("f", struct.pack("I", bits))[0]
    return value


def splat(b: ir.IRBuilder, v: ir.Value, lanes: int) -> ir.Value:
    """v in every lane; a vector stays as it is."""
    return b.broadcast(v, lanes) if lanes and not v.type.count else v


def intrinsic(b: ir.IRBuilder, name: str, ret: ir.Type, args: Sequence[ir.Value]) -> ir.Value:
    """Call the LLVM intrinsic of this name, overloaded on what it returns."""
    return b.intrinsic(f"{name}.{ret.suffix}", ret, args)


# -- memory <-> compute
# --------------------------------------------------------------------------------------------------
def from_memory(b: ir.IRBuilder, v: ir.Value, d: dtype) -> ir.Value:
    """One part of a value of dtype d, as it is computed with."""
    n, part = lanes_of(v), d.to_real()
    if d.kind == "b":
        return b.icmp_unsigned("!=", v, const(I8, 0, n))
    if packed(part):
        return v
    if part.format is not None:
        return minifloat.decode(b, v, part.format)
    if part.name == "float16":
        return b.fpext(v, shaped(F32, n))
    if part.name == "bfloat16":
        return b.bitcast(b.shl(b.zext(v, shaped(I32, n)), const(I32, 16, n)), shaped(F32, n))
    return v


def to_memory(b: ir.IRBuilder, v: ir.Value, d: dtype) -> ir.Value:
    """One part of a value of dtype d, as it lies in memory."""
    n, part = lanes_of(v), d.to_real()
    if d.kind == "b":
        return b.zext(v, shaped(I8, n))
    if packed(part):
        return v
    if part.format is not None:
        return minifloat.encode(b, v, part.format)
    if part.name == "float16":
        return b.fptrunc(v, shaped(F16, n))
    if part.name == "bfloat16":
        bits = b.bitcast(v, shaped(I32, n))
        odd = b.and_(b.lshr(bits, const(I32, 16, n)), const(I32, 1, n))
        up = b.lshr(b.add(b.add(bits, const(I32, 0x7FFF, n)), odd), const(I32, 16, n))
        nan = b.fcmp_unordered("uno", v, v)
        # A NaN keeps its sign, as it does where a processor converts; rounding up could make it a zero.
        quiet = b.or_(b.lshr(bits, const(I32, 16, n)), const(I32, 0x40, n))
        return b.trunc(b.select(nan, quiet, up), shaped(I16, n))
    return v


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

    A float out of an integer's range is what PyTorch (and NumPy) give on x86: truncated to int32 (to int64 for wider
    dtypes, uint32 and uint8), of which the low bits are taken; NaN and what is out of that range is its least number.
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


# -- integer helpers
# -----------------------------------------------------------------------------------------------------
def _safe_divisor(b: ir.IRBuilder, x: ir.Value, y: ir.Value, signed: bool) -> tuple[ir.Value, ir.Value]:
    """(divisor that cannot trap, whether y is zero); min / -1 is done as min / 1, whose quotient wraps the same."""
    t, n = element(y.type), lanes_of(y)
    zero = b.icmp_unsigned("==", y, const(t, 0, n))
    safe = b.select(zero, const(t, 1, n), y)
    if signed:
        lowest = b.icmp_unsigned("==", x, const(t, -(1 << (t.width - 1)), n))
        minus = b.icmp_unsigned("==", y, const(t, -1, n))
        safe = b.select(b.and_(lowest, minus), const(t, 1, n), safe)
    return safe, zero


def _int_div(b: ir.IRBuilder, x: ir.Value, y: ir.Value, d: dtype, kind: str) -> ir.Value:
    """kind: "floordiv", "div" (towards zero), "rem" (sign of y), "fmod" (sign of x); 0 for a zero divisor."""
    t, n = element(y.type), lanes_of(y)
    signed = d.kind == "i"
    safe, zero = _safe_divisor(b, x, y, signed)
    none = const(t, 0, n)
    if not signed:
        out = b.udiv(x, safe) if kind in ("floordiv", "div") else b.urem(x, safe)
        return b.select(zero, none, out)
    q = b.sdiv(x, safe)
    r = b.sub(x, b.mul(q, safe))
    off = b.and_(b.icmp_signed("!=", r, none), b.icmp_signed("<", b.xor(r, safe), none))
    if kind == "floordiv":
        q = b.select(off, b.sub(q, const(t, 1, n)), q)
    elif kind == "rem":
        r = b.select(off, b.add(r, safe), r)
    return b.select(zero, none, q if kind in ("floordiv", "div") else r)


def _int_pow(b: ir.IRBuilder, x: ir.Value, y: ir.Value, d: dtype) -> ir.Value:
    """x ** y by squaring, wrapping; a negative exponent gives 1, -1 or 0 as an exact quotient would, truncated."""
    t, n = element(x.type), lanes_of(x)
    one, none = const(t, 1, n), const(t, 0, n)
    if d.kind == "b":
        return b.select(y, x, one)
    negative = b.icmp_signed("<", y, none)
    result, base, left = (b.alloca(x.type) for _ in range(3))
    for variable, value in ((result, one), (base, x), (left, b.select(negative, none, y) if d.kind == "i" else y)):
        b.store(value, variable)
    head, body, done = (b.append_basic_block(name) for name in ("head", "body", "done"))
    b.branch(head)
    b.position_at_end(head)
    # As many turns as the greatest exponent has bits.
    b.cbranch(b.any_lane(b.icmp_unsigned("!=", b.load(left, typ=y.type), none)), body, done)
    b.position_at_end(body)
    now, power, exponent = (b.load(p, typ=x.type) for p in (result, base, left))
    odd = b.icmp_unsigned("!=", b.and_(exponent, one), none)
    b.store(b.select(odd, b.mul(now, power), now), result)
    b.store(b.mul(power, power), base)
    b.store(b.lshr(exponent, one), left)
    b.branch(head)
    b.position_at_end(done)
    out = b.load(result, typ=x.type)
    if d.kind != "i":
        return out
    minus = const(t, -1, n)
    alternating = b.select(b.icmp_unsigned("!=", b.and_(y, one), none), minus, one)
    inverse = b.select(b.icmp_unsigned("==", x, one), one, b.select(b.icmp_unsigned("==", x, minus), alternating, none))
    return b.select(negative, inverse, out)


# -- the table
# -----------------------------------------------------------------------------------------------------------
_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_FLOAT_OPS = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_INT_OPS = {"add": "add", "sub": "sub", "mul": "mul", "and_": "and_", "or_": "or_", "xor": "xor"}


def greater(b: ir.IRBuilder, x: ir.Value, y: ir.Value, d: dtype, op: str = ">") -> ir.Value:
    """x > y, or `op`."""
    if d.kind == "f":
        return b.fcmp_ordered(op, x, y) if op != "!=" else b.fcmp_unordered("!=", x, y)
    return (b.icmp_signed if d.kind == "i" else b.icmp_unsigned)(op, x, y)


def extreme(b: ir.IRBuilder, x: ir.Value, y: ir.Value, d: dtype, largest: bool) -> ir.Value:
    """max or min of two values; NaN wins."""
    best = b.select(greater(b, x, y, d, ">" if largest else "<"), x, y)  # one instruction; y when either is NaN
    return b.select(b.fcmp_unordered("uno", x, x), x, best) if d.kind == "f" else best


def pointwise(b: ir.IRBuilder, name: str, args: list[Value], src: dtype, dst: dtype) -> Value:
    """Emit primitive `name`; src is the dtype of the (first data) operand, dst of the result."""
    if name == "convert":
        return convert(b, args[0], src, dst)
    if name == "bitcast":
        return bitcast(b, args[0], src, dst)
    if name == "select":
        return [b.select(args[0][0], x, y) for x, y in zip(args[1], args[2], strict=True)]
    if name == "complex":
        return [args[0][0], args[1][0]]
    if name == "isnan":
        nans = [b.fcmp_unordered("uno", x, x) if src.kind in "fc" else const(I1, 0, lanes_of(x)) for x in args[0]]
        return [nans[0] if len(nans) == 1 else b.or_(*nans)]
    if src.kind == "c":
        return round_half(b, _complex(b, name, args, src), dst)
    if name in ("real", "conj"):
        return args[0]
    if name == "imag":
        return constant(src, 0, lanes_of(args[0][0]))
    xs = [a[0] for a in args]
    if name in _COMPARE:
        return [greater(b, xs[0], xs[1], src, _COMPARE[name])]
    if src.kind == "f":
        return round_half(b, [_float(b, name, xs, src)], dst)
    return [_integer(b, name, xs, src)]


def _float(b: ir.IRBuilder, name: str, xs: list[ir.Value], d: dtype) -> ir.Value:
    x = xs[0]
    t, n = element(x.type), lanes_of(x)
    if name in _FLOAT_OPS:
        return getattr(b, _FLOAT_OPS[name])(xs[0], xs[1])
    if name in ("max", "min"):
        return extreme(b, xs[0], xs[1], d, name == "max")
    if name == "neg":
        return b.fneg(x)
    if name == "abs":
        return intrinsic(b, "fabs", x.type, [x])
    if name in ("sqrt", "floor", "ceil", "trunc"):
        return intrinsic(b, name, x.type, [x])
    if name == "round":
        return intrinsic(b, "rint", x.type, [x])
    if name == "copysign":
        return intrinsic(b, name, x.type, xs)
    if name == "reciprocal":
        return b.fdiv(const(t, 1.0, n), x)
    if name == "sign":
        zero = const(t, 0.0, n)
        up = b.select(b.fcmp_ordered(">", x, zero), const(t, 1.0, n), zero)
        return b.select(b.fcmp_ordered("<", x, zero), const(t, -1.0, n), up)
    if name == "floordiv":
        # floor(x / y), corrected through the exact remainder so that x == floordiv * y + rem holds as nearly as it can.
        mod = vecmath.emit("fmod", b, xs)
        zero = const(t, 0.0, n)
        div = b.fdiv(b.fsub(x, mod), xs[1])
        off = b.and_(
            b.fcmp_unordered("!=", mod, zero), b.xor(b.fcmp_ordered("<", xs[1], zero), b.fcmp_ordered("<", mod, zero))
        )
        div = b.select(off, b.fsub(div, const(t, 1.0, n)), div)
        low = intrinsic(b, "floor", x.type, [div])
        low = b.select(b.fcmp_ordered(">", b.fsub(div, low), const(t, 0.5, n)), b.fadd(low, const(t, 1.0, n)), low)
        quotient = b.fdiv(x, xs[1])
        signed_zero = intrinsic(b, "copysign", x.type, [zero, quotient])
        out = b.select(b.fcmp_unordered("!=", div, zero), low, signed_zero)
        return b.select(b.fcmp_ordered("==", xs[1], zero), quotient, out)
    if name == "rem":
        mod = vecmath.emit("fmod", b, xs)
        zero = const(t, 0.0, n)
        off = b.and_(
            b.fcmp_unordered("!=", mod, zero), b.xor(b.fcmp_ordered("<", xs[1], zero), b.fcmp_ordered("<", mod, zero))
        )
        # A zero has the sign of the divisor, as every other remainder has.
        signed_zero = intrinsic(b, "copysign", x.type, [zero, xs[1]])
        return b.select(b.fcmp_ordered("==", mod, zero), signed_zero, b.select(off, b.fadd(mod, xs[1]), mod))
    if name == "not_":
        return b.fcmp_ordered("==", x, const(t, 0.0, n))
    if name in vecmath.SUPPORTED:
        if d.name == "float16" and name == "nextafter" or d.name == "bfloat16" and name == "nextafter":
            raise NotImplementedError(f"nextafter: expected float32 or float64, got {d.name}")
        return vecmath.emit(name, b, xs)
    raise NotImplementedError(f"{name}: the compiler has no code for {d.name}")


def _integer(b: ir.IRBuilder, name: str, xs: list[ir.Value], d: dtype) -> ir.Value:
    x = xs[0]
    t, n = element(x.type), lanes_of(x)
    if d.kind == "b":
        # On booleans + is or, * is and; the rest follow from 0 < 1.
        name = {"add": "or_", "mul": "and_", "max": "or_", "min": "and_", "sub": "xor"}.get(name, name)
        if name in ("abs", "sign", "floor", "ceil", "trunc", "round"):
            return x
    if name in _INT_OPS:
        return getattr(b, _INT_OPS[name])(xs[0], xs[1])
    if name in ("floordiv", "div", "rem", "fmod"):
        return _int_div(b, xs[0], xs[1], d, name)
    if name in ("max", "min"):
        return extreme(b, xs[0], xs[1], d, name == "max")
    if name == "neg":
        return b.neg(x)
    if name == "not_":
        return b.not_(x)
    if name == "abs":
        return b.select(b.icmp_signed("<", x, const(t, 0, n)), b.neg(x), x) if d.kind == "i" else x
    if name == "sign":
        up = b.select(b.icmp_unsigned("!=", x, const(t, 0, n)), const(t, 1, n), const(t, 0, n))
        return b.select(b.icmp_signed("<", x, const(t, 0, n)), const(t, -1, n), up) if d.kind == "i" else up
    if name in ("floor", "ceil", "trunc", "round"):
        return x
    if name == "pow":
        return _int_pow(b, xs[0], xs[1], d)
    if name in ("shl", "shr"):
        big = b.icmp_unsigned(">=", xs[1], const(t, t.width, n))
        amount = b.select(big, const(t, t.width - 1, n), xs[1])
        if name == "shl":
            return b.select(big, const(t, 0, n), b.shl(x, amount))
        if d.kind == "i":
            return b.ashr(x, amount)
        return b.select(big, const(t, 0, n), b.lshr(x, amount))
    raise NotImplementedError(f"{name}: the compiler has no code for {d.name}")


def _complex(b: ir.IRBuilder, name: str, args: list[Value], d: dtype) -> Value:
    (re, im), n = args[0], lanes_of(args[0][0])
    real = d.to_real()
    if name in ("real", "imag"):
        return [re if name == "real" else im]
    if name == "conj":
        return [re, b.fneg(im)]
    if name == "neg":
        return [b.fneg(re), b.fneg(im)]
    if name in ("add", "sub"):
        op = b.fadd if name == "add" else b.fsub
        return [op(x, y) for x, y in zip(*args, strict=True)]
    if name in ("eq", "ne"):
        same = [greater(b, x, y, real, "==") for x, y in zip(*args, strict=True)]
        both = b.and_(*same)
        return [both if name == "eq" else b.not_(both)]
    if name == "mul":
        (a, c), (e, f) = args
        return [b.fsub(b.fmul(a, e), b.fmul(c, f)), b.fadd(b.fmul(a, f), b.fmul(c, e))]
    if name == "sign":
        size = complex_function(b, "abs", args)[0]
        zero = const(element(re.type), 0.0, n)
        none = b.fcmp_ordered("==", size, zero)
        return [b.select(none, zero, b.fdiv(x, size)) for x in (re, im)]
    return complex_function(b, name, args)


def complex_function(b: ir.IRBuilder, name: str, args: list[Value]) -> Value:
    """A complex function of the vector mathematics; abs has one part."""
    out = vecmath.emit_complex(name, b, [(re, im) for re, im in args])
    return list(out) if isinstance(out, tuple) else [out]


def dtype_of(name: str) -> dtype:
    return by_name[name]
