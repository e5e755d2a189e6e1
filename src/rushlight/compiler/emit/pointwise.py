"""Pointwise primitives as LLVM IR: beside each name and kind of dtype, its code over values of L lanes (or plain
scalars).

A primitive's code is what `lowers` is written over: a new primitive has a row here, or a formula in `vecmath`. Nothing
here is undefined in LLVM's sense: integer division by zero, shifts past the width and out-of-range conversions have
results.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from rushlight.compiler import vecmath
from rushlight.compiler.costs import DIVISIONS
from rushlight.compiler.emit.scalar import Value, bitcast, convert, round_half
from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.control import while_
from rushlight.compiler.llvm.ir import F32, F64, I1, I32
from rushlight.compiler.llvm.lanes import const, element, intrinsic, lanes_of, shaped
from rushlight.core.dtypes import dtype

# (builder, operands, dtype of the first data operand, dtype of the result) -> the result
Lowering = Callable[[ir.IRBuilder, list[Value], dtype, dtype], Value]
# The same of dtypes whose values have one part: (builder, operands, dtype of the first data operand) -> the result,
# which is rounded to its dtype if that has fewer bits.
RealLowering = Callable[[ir.IRBuilder, list[ir.Value], dtype], ir.Value]

_LOWERINGS: dict[tuple[str, str], Lowering] = {}


def lowers(*names: str, kinds: str) -> Callable[[Lowering], Lowering]:
    """Enter the code of primitives for dtypes of these kinds (b, u, i, f, c)."""

    def register(code: Lowering) -> Lowering:
        for key in ((name, kind) for name in names for kind in kinds):
            if key in _LOWERINGS:
                raise ValueError(f"there is code for {key[0]} of kind {key[1]!r} already")
            _LOWERINGS[key] = code
        return code

    return register


def lowers_real(*names: str, kinds: str) -> Callable[[RealLowering], RealLowering]:
    """The same for code of values of one part."""

    def register(code: RealLowering) -> RealLowering:
        def whole(b: ir.IRBuilder, args: list[Value], src: dtype, dst: dtype) -> Value:
            return round_half(b, [code(b, [a[0] for a in args], src)], dst)

        lowers(*names, kinds=kinds)(whole)
        return code

    return register


def pointwise(b: ir.IRBuilder, name: str, args: list[Value], src: dtype, dst: dtype) -> Value:
    """Emit primitive `name`; src is the dtype of the (first data) operand, dst of the result."""
    code = _LOWERINGS.get((name, src.kind))
    if code is None:
        raise NotImplementedError(f"{name}: the compiler has no code for {src.name}")
    return code(b, args, src, dst)


def _method(name: str) -> RealLowering:
    """One instruction: the builder's method of this name."""
    return lambda b, xs, d: getattr(b, name)(*xs)


def _intrinsic(name: str) -> RealLowering:
    return lambda b, xs, d: intrinsic(b, name, xs[0].type, xs)


# -- any dtype ---------------------------------------------------------------------------------------------------------
@lowers("convert", kinds="buifc")
def _convert(b: ir.IRBuilder, args: list[Value], src: dtype, dst: dtype) -> Value:
    return convert(b, args[0], src, dst)


@lowers("bitcast", kinds="buifc")
def _bitcast(b: ir.IRBuilder, args: list[Value], src: dtype, dst: dtype) -> Value:
    return bitcast(b, args[0], src, dst)


@lowers("select", kinds="buifc")
def _select(b: ir.IRBuilder, args: list[Value], src: dtype, dst: dtype) -> Value:
    return [b.select(args[0][0], x, y) for x, y in zip(args[1], args[2], strict=True)]


@lowers("isnan", kinds="buifc")
def _isnan(b: ir.IRBuilder, args: list[Value], src: dtype, dst: dtype) -> Value:
    nans = [b.fcmp_unordered("uno", x, x) if src.kind in "fc" else const(I1, 0, lanes_of(x)) for x in args[0]]
    return [nans[0] if len(nans) == 1 else b.or_(*nans)]


def greater(b: ir.IRBuilder, x: ir.Value, y: ir.Value, d: dtype, op: str = ">") -> ir.Value:
    """x > y, or `op`."""
    if d.kind == "f":
        return b.fcmp_ordered(op, x, y) if op != "!=" else b.fcmp_unordered("!=", x, y)
    return (b.icmp_signed if d.kind == "i" else b.icmp_unsigned)(op, x, y)


def _comparison(op: str) -> Lowering:
    return lambda b, args, src, dst: [greater(b, args[0][0], args[1][0], src, op)]


for _name, _op in {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
    lowers(_name, kinds="buif")(_comparison(_op))


def extreme(b: ir.IRBuilder, x: ir.Value, y: ir.Value, d: dtype, largest: bool) -> ir.Value:
    """max or min of two values; NaN wins."""
    best = b.select(greater(b, x, y, d, ">" if largest else "<"), x, y)  # one instruction; y when either is NaN
    return b.select(b.fcmp_unordered("uno", x, x), x, best) if d.kind == "f" else best


lowers_real("max", kinds="uif")(lambda b, xs, d: extreme(b, xs[0], xs[1], d, True))
lowers_real("min", kinds="uif")(lambda b, xs, d: extreme(b, xs[0], xs[1], d, False))


# -- floats ------------------------------------------------------------------------------------------------------------
for _name, _op in {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv", "neg": "fneg"}.items():
    lowers_real(_name, kinds="f")(_method(_op))

for _name in ("floor", "ceil", "trunc", "copysign", "fma"):
    lowers_real(_name, kinds="f")(_intrinsic(_name))

lowers_real("sqrt", kinds="f")(lambda b, xs, d: vecmath.emit("sqrt", b, xs))
lowers_real("abs", kinds="f")(_intrinsic("fabs"))
lowers_real("round", kinds="f")(_intrinsic("rint"))
lowers("complex", kinds="f")(lambda b, args, src, dst: [args[0][0], args[1][0]])


@lowers_real("reciprocal", kinds="f")
def _reciprocal(b: ir.IRBuilder, xs: list[ir.Value], d: dtype) -> ir.Value:
    (x,) = xs
    return b.fdiv(const(element(x.type), 1.0, lanes_of(x)), x)


@lowers_real("sign", kinds="f")
def _sign(b: ir.IRBuilder, xs: list[ir.Value], d: dtype) -> ir.Value:
    (x,) = xs
    t, n = element(x.type), lanes_of(x)
    zero = const(t, 0.0, n)
    up = b.select(b.fcmp_ordered(">", x, zero), const(t, 1.0, n), zero)
    return b.select(b.fcmp_ordered("<", x, zero), const(t, -1.0, n), up)


@lowers_real("floordiv", kinds="f")
def _floordiv(b: ir.IRBuilder, xs: list[ir.Value], d: dtype) -> ir.Value:
    """floor(x / y), corrected through the exact remainder so that x == floordiv * y + rem holds as nearly as it can."""
    x, t, n = xs[0], element(xs[0].type), lanes_of(xs[0])
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


@lowers_real("rem", kinds="f")
def _rem(b: ir.IRBuilder, xs: list[ir.Value], d: dtype) -> ir.Value:
    x, t, n = xs[0], element(xs[0].type), lanes_of(xs[0])
    mod = vecmath.emit("fmod", b, xs)
    zero = const(t, 0.0, n)
    off = b.and_(
        b.fcmp_unordered("!=", mod, zero), b.xor(b.fcmp_ordered("<", xs[1], zero), b.fcmp_ordered("<", mod, zero))
    )
    # A zero has the sign of the divisor, as every other remainder has.
    signed_zero = intrinsic(b, "copysign", x.type, [zero, xs[1]])
    return b.select(b.fcmp_ordered("==", mod, zero), signed_zero, b.select(off, b.fadd(mod, xs[1]), mod))


@lowers_real("nextafter", kinds="f")
def _nextafter(b: ir.IRBuilder, xs: list[ir.Value], d: dtype) -> ir.Value:
    if d.itemsize < 4:
        raise NotImplementedError(f"nextafter: expected float32 or float64, found {d.name}")
    return vecmath.emit("nextafter", b, xs)


def _formula(name: str) -> RealLowering:
    return lambda b, xs, d: vecmath.emit(name, b, xs)


for _name in sorted(vecmath.SUPPORTED):
    if (_name, "f") not in _LOWERINGS:
        lowers_real(_name, kinds="f")(_formula(_name))


# -- integers and bools ------------------------------------------------------------------------------------------------
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


def _quotient(b: ir.IRBuilder, x: ir.Value, y: ir.Value, signed: bool) -> ir.Value:
    """x / y, truncated. Processors divide vectors of floats, not of integers: of integers with w bits a quotient that
    is no integer differs from the next one by at least 2**-w of that, so it does not become it in a float of more bits.
    """
    t, n = element(x.type), lanes_of(x)
    if not n or t.width > 32:
        return b.sdiv(x, y) if signed else b.udiv(x, y)
    wide = shaped(F32 if t.width <= 16 else F64, n)
    if t.width < 32:
        x, y = ((b.sext if signed else b.zext)(v, shaped(I32, n)) for v in (x, y))
        signed = True
    cast, back = (b.sitofp, b.fptosi) if signed else (b.uitofp, b.fptoui)
    q = back(b.fdiv(cast(x, wide), cast(y, wide)), shaped(I32, n))
    return b.trunc(q, shaped(t, n)) if t.width < 32 else q


def _int_div(b: ir.IRBuilder, xs: list[ir.Value], d: dtype, kind: str) -> ir.Value:
    """kind: "floordiv", "div" (towards zero), "rem" (sign of y), "fmod" (sign of x); 0 for a zero divisor."""
    x, y = xs
    t, n = element(y.type), lanes_of(y)
    signed = d.kind == "i"
    safe, zero = _safe_divisor(b, x, y, signed)
    none = const(t, 0, n)
    if not signed:
        q = _quotient(b, x, safe, signed)
        return b.select(zero, none, q if kind in ("floordiv", "div") else b.sub(x, b.mul(q, safe)))
    q = _quotient(b, x, safe, signed)
    r = b.sub(x, b.mul(q, safe))
    off = b.and_(b.icmp_signed("!=", r, none), b.icmp_signed("<", b.xor(r, safe), none))
    if kind == "floordiv":
        q = b.select(off, b.sub(q, const(t, 1, n)), q)
    elif kind == "rem":
        r = b.select(off, b.add(r, safe), r)
    return b.select(zero, none, q if kind in ("floordiv", "div") else r)


def _int_pow(b: ir.IRBuilder, xs: list[ir.Value], d: dtype) -> ir.Value:
    """x ** y by squaring, wrapping; a negative exponent gives 1, -1 or 0 as an exact quotient would, truncated."""
    x, y = xs
    t, n = element(x.type), lanes_of(x)
    one, none = const(t, 1, n), const(t, 0, n)
    if d.kind == "b":
        return b.select(y, x, one)
    negative = b.icmp_signed("<", y, none)
    result, base, left = (b.alloca(x.type) for _ in range(3))
    for variable, value in ((result, one), (base, x), (left, b.select(negative, none, y) if d.kind == "i" else y)):
        b.store(value, variable)
    # As many turns as the greatest exponent has bits.
    with while_(b, lambda: b.any_lane(b.icmp_unsigned("!=", b.load(left, typ=y.type), none))):
        now, power, exponent = (b.load(p, typ=x.type) for p in (result, base, left))
        odd = b.icmp_unsigned("!=", b.and_(exponent, one), none)
        b.store(b.select(odd, b.mul(now, power), now), result)
        b.store(b.mul(power, power), base)
        b.store(b.lshr(exponent, one), left)
    out = b.load(result, typ=x.type)
    if d.kind != "i":
        return out
    minus = const(t, -1, n)
    alternating = b.select(b.icmp_unsigned("!=", b.and_(y, one), none), minus, one)
    inverse = b.select(b.icmp_unsigned("==", x, one), one, b.select(b.icmp_unsigned("==", x, minus), alternating, none))
    return b.select(negative, inverse, out)


for _name in ("add", "sub", "mul", "and_", "or_", "xor", "neg"):
    lowers_real(_name, kinds="ui")(_method(_name))

# On bools + is or, * is and; the rest follow from 0 < 1.
_OF_BOOLS = {"add": "or_", "mul": "and_", "max": "or_", "min": "and_", "sub": "xor", "and_": "and_", "or_": "or_"}
for _name, _op in {**_OF_BOOLS, "xor": "xor"}.items():
    lowers_real(_name, kinds="b")(_method(_op))

for _name in ("floor", "ceil", "trunc", "round"):
    lowers_real(_name, kinds="bui")(lambda b, xs, d: xs[0])
lowers_real("abs", "sign", kinds="b")(lambda b, xs, d: xs[0])
lowers_real("abs", kinds="u")(lambda b, xs, d: xs[0])
lowers_real("not_", kinds="bui")(lambda b, xs, d: b.not_(xs[0]))

for _name in sorted(DIVISIONS):
    lowers_real(_name, kinds="bui")(partial(_int_div, kind=_name))
lowers_real("pow", kinds="bui")(_int_pow)


@lowers_real("abs", kinds="i")
def _int_abs(b: ir.IRBuilder, xs: list[ir.Value], d: dtype) -> ir.Value:
    (x,) = xs
    return b.select(b.icmp_signed("<", x, const(element(x.type), 0, lanes_of(x))), b.neg(x), x)


@lowers_real("sign", kinds="ui")
def _int_sign(b: ir.IRBuilder, xs: list[ir.Value], d: dtype) -> ir.Value:
    (x,) = xs
    t, n = element(x.type), lanes_of(x)
    up = b.select(b.icmp_unsigned("!=", x, const(t, 0, n)), const(t, 1, n), const(t, 0, n))
    return b.select(b.icmp_signed("<", x, const(t, 0, n)), const(t, -1, n), up) if d.kind == "i" else up


def _shift(b: ir.IRBuilder, xs: list[ir.Value], d: dtype, left: bool) -> ir.Value:
    """Past the width: 0, or of a negative number shifted to the right -1."""
    x, t, n = xs[0], element(xs[0].type), lanes_of(xs[0])
    big = b.icmp_unsigned(">=", xs[1], const(t, t.width, n))
    amount = b.select(big, const(t, t.width - 1, n), xs[1])
    if left:
        return b.select(big, const(t, 0, n), b.shl(x, amount))
    if d.kind == "i":
        return b.ashr(x, amount)
    return b.select(big, const(t, 0, n), b.lshr(x, amount))


lowers_real("shl", kinds="ui")(partial(_shift, left=True))
lowers_real("shr", kinds="ui")(partial(_shift, left=False))


# -- complex numbers ---------------------------------------------------------------------------------------------------
ComplexLowering = Callable[[ir.IRBuilder, list[Value], dtype], Value]


def lowers_complex(*names: str) -> Callable[[ComplexLowering], ComplexLowering]:
    """Enter code of complex primitives: (builder, operands, their dtype) -> the result, which is rounded."""

    def register(code: ComplexLowering) -> ComplexLowering:
        lowers(*names, kinds="c")(lambda b, args, src, dst: round_half(b, code(b, args, src), dst))
        return code

    return register


lowers_complex("real")(lambda b, args, d: args[0][:1])
lowers_complex("imag")(lambda b, args, d: args[0][1:])
lowers_complex("conj")(lambda b, args, d: [args[0][0], b.fneg(args[0][1])])
lowers_complex("neg")(lambda b, args, d: [b.fneg(x) for x in args[0]])
lowers_complex("add")(lambda b, args, d: [b.fadd(x, y) for x, y in zip(*args, strict=True)])
lowers_complex("sub")(lambda b, args, d: [b.fsub(x, y) for x, y in zip(*args, strict=True)])


@lowers_complex("eq")
def _equal(b: ir.IRBuilder, args: list[Value], d: dtype) -> Value:
    return [b.and_(*(greater(b, x, y, d.to_real(), "==") for x, y in zip(*args, strict=True)))]


@lowers_complex("ne")
def _unequal(b: ir.IRBuilder, args: list[Value], d: dtype) -> Value:
    return [b.not_(*_equal(b, args, d))]


@lowers_complex("mul")
def _product(b: ir.IRBuilder, args: list[Value], d: dtype) -> Value:
    (a, c), (e, f) = args
    return [b.fsub(b.fmul(a, e), b.fmul(c, f)), b.fadd(b.fmul(a, f), b.fmul(c, e))]


@lowers_complex("sign")
def _direction(b: ir.IRBuilder, args: list[Value], d: dtype) -> Value:
    (size,) = _complex_formula("abs")(b, args, d)
    t, n = element(size.type), lanes_of(size)
    # the modulus of finite parts may be beyond the dtype's range; that of their halves is not
    scale = b.select(b.fcmp_ordered("==", size, const(t, math.inf, n)), const(t, 0.5, n), const(t, 1.0, n))
    parts = [b.fmul(x, scale) for x in args[0]]
    (size,) = _complex_formula("abs")(b, [parts], d)
    zero = const(t, 0.0, n)
    none = b.fcmp_ordered("==", size, zero)
    return [b.select(none, zero, b.fdiv(x, size)) for x in parts]


def _complex_formula(name: str) -> ComplexLowering:
    """A complex function of the vector mathematics; abs has one part."""

    def code(b: ir.IRBuilder, args: list[Value], d: dtype) -> Value:
        out = vecmath.emit_complex(name, b, [(re, im) for re, im in args])
        return list(out) if isinstance(out, tuple) else [out]

    return code


for _name in sorted(vecmath.SUPPORTED_COMPLEX):
    if (_name, "c") not in _LOWERINGS:
        lowers_complex(_name)(_complex_formula(_name))
