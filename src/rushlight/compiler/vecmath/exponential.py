"""Exponentials, logarithms, hyperbolic functions, the logistic function and pow, as LLVM IR.

Sources: W. Cody & W. Waite, "Software Manual for the Elementary Functions" (1980), argument reduction by a constant in
parts; P. Tang, ACM TOMS 15 (1989) 144 and 16 (1990) 378, exp and log; J.-M. Muller, "Elementary Functions" (2016),
double-word arithmetic; ISO C99 Annex F, special values. The polynomials come from benchmarks/minimax.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.lanes import in_parts
from rushlight.compiler.vecmath.base import F, I, M, fast_two_sum, fma, two_product, two_sum
from rushlight.compiler.vecmath.segments import BELOW_FIRST, on_segments, segment, sixteenths


def _nearest(t: F, scale: float) -> tuple[F, F, F]:
    """n = rint(t scale) and two factors whose product is 2^n, for |n| < 2^(mantissa - 2).

    Adding 1.5 2^mantissa leaves n in the low bits; no conversion, which for NaN would be undefined. Two factors,
    because 2^n alone may lie outside the normal range while the result does not.
    """
    k = t.k
    magic = 1.5 * 2.0**k.mantissa + 2.0 * k.bias
    shifted = fma(t, scale, magic)
    raw = shifted.as_int()
    first = (raw >> 1) << k.mantissa
    return shifted - magic, first.as_float(), ((raw << k.mantissa) - first).as_float()


def _in_wholes(x: F) -> int:
    """The lanes of a vector of AVX-512 where x is made of such, else 0."""
    from rushlight.compiler.llvm import machine

    width = 512 // x.k.bits
    return width if x.k.lanes and not x.k.lanes % width and machine.masks() else 0


def _by_exponents(name: str, x: F, *more: F, kind: int | None = None) -> F | None:
    """What an instruction of AVX-512 for exponents makes of whole vectors, or None where there is none."""
    k, width = x.k, _in_wholes(x)
    if not width:
        return None
    every, current = ir.constant(ir.integer(width), (1 << width) - 1), ir.constant(ir.I32, 4)
    kinds = [] if kind is None else [ir.constant(ir.I32, kind)]

    def emit(*values: ir.Value) -> ir.Value:
        args = [*values, *kinds, values[0], every, current]
        return k.b.intrinsic(f"x86.avx512.mask.{name}.p{'d' if k.wide else 's'}.512", values[0].type, args)

    return F(k, in_parts(k.b, width, emit, x.v, *[y.v for y in more]))


def _scaled(p: F, n: F, s1: F, s2: F) -> F:
    """p 2^n, where 2^n is s1 s2 as well and p near 1: both ways round once."""
    found = _by_exponents("scalef", p, n)
    return p * s1 * s2 if found is None else found


def _reduce_exp(x: F) -> tuple[F, F, F, F, F]:
    """x = n log 2 + r + lo with |r| < 0.3475; returns n, the factors of 2^n, r and lo (the rounding error of r)."""
    k = x.k
    ln2 = k.constant("ln2")
    n, s1, s2 = _nearest(x, k.constant("log2e")[0])
    high = fma(n, -ln2[0], x)
    r = fma(n, -ln2[1], high)
    lo = fma(n, -ln2[1], high - r)
    return n, s1, s2, r, lo


def _clamp_exp(x: F) -> F:
    """x limited to where exp is neither 0 nor infinity, and a little beyond; NaN stays."""
    return x.at_most(710.0 if x.k.wide else 89.0).at_least(-746.0 if x.k.wide else -104.0)


def exp(x: F) -> F:
    """e^x."""
    k = x.k
    n, s1, s2, r, _ = _reduce_exp(_clamp_exp(x))
    return _scaled(fma(k.poly("exp", r), r * r, r) + 1.0, n, s1, s2)


def exp_of_sum(x: F, lo: F) -> F:
    """e^(x + lo), |lo| much less than 1: the low part is added to the reduced argument."""
    k = x.k
    limited = _clamp_exp(x)
    lo = limited.eq(x).select(lo, 0.0)  # a huge x has a large or a NaN low part
    n, s1, s2, r, e = _reduce_exp(limited)
    p = k.poly("exp", r) * (r * r)
    s, t = fast_two_sum(1.0, r)
    return _scaled(s + (p + fma(e + lo, s + p, t)), n, s1, s2)


def exp_near(x: F) -> F:
    """e^x to within an ulp of 1 for -80 < x <= 0, in fewer instructions: for results that are added to 1."""
    k = x.k
    magic = 1.5 * 2.0**k.mantissa + k.bias
    shifted = fma(x, k.constant("log2e")[0], magic)
    r = fma(shifted - magic, -k.constant("ln2")[0], x)
    return (fma(k.poly("exp", r), r * r, r) + 1.0) * (shifted.as_int() << k.mantissa).as_float()


def exp2(x: F) -> F:
    """2^x."""
    k = x.k
    x = x.at_most(1025.0 if k.wide else 129.0).at_least(-1076.0 if k.wide else -151.0)
    n, s1, s2 = _nearest(x, 1.0)
    r = x - n
    return _scaled(fma(k.poly("exp2", r), r, 1.0), n, s1, s2)


def expm1(x: F) -> F:
    """e^x - 1; nothing is computed for vectors of zeros, which `elu` makes of positive numbers."""
    return x.k.where_any(~x.eq(0.0), x, lambda: _expm1(x))


def _expm1(x: F) -> F:
    k = x.k
    clamped = x.at_most(710.0 if k.wide else 89.0).at_least(-60.0)
    _n, s1, s2, r, lo = _reduce_exp(clamped)
    q = fma(k.poly("exp", r), r * r, lo)
    # 2^n (1 + r + q) - 1 at half scale, for 2^n overflows at the upper end
    t = s1 * (s2 * 0.5)
    high, low = two_sum(t - 0.5, t * r)
    result = high + fma(t, q, low)
    return (result + result).signed_as(x)


def _exp_of_negative(x: F) -> tuple[F, F]:
    """e^x for x <= 0, and the rounding error of its mantissa scaled alike: 2^n is scaled up to a normal number, so that
    one factor does.
    """
    k = x.k
    x = x.at_least(-746.0 if k.wide else -104.0)
    ln2 = k.constant("ln2")
    up = k.mantissa + 1
    magic = 1.5 * 2.0**k.mantissa + (k.bias + up)
    shifted = fma(x, k.constant("log2e")[0], magic)
    n = shifted - magic
    high = fma(n, -ln2[0], x)
    r = fma(n, -ln2[1], high)
    rest = fma(k.poly("exp", r), r * r, fma(n, -ln2[1], high - r))
    s, low = fast_two_sum(1.0, r)
    p, low = fast_two_sum(s, low + rest)
    scale = (shifted.as_int() << k.mantissa).as_float()
    return p * scale * 2.0**-up, low * scale * 2.0**-up


def sigmoid(x: F) -> F:
    """1 / (1 + e^-x)."""
    k = x.k
    if k.wide:
        return _sigmoid_quotient(x)
    a = abs(x)
    nearest = fma(a.at_most(15.7), 2.0, 1.5 * 2.0**k.mantissa)  # the segments' centres are multiples of 1/2
    below = on_segments("sigmoid_segments", a, nearest.as_int(), odd=False)  # 1 / (1 + e^a)
    return k.where_any(a > 15.7, (x < 0.0).select(below, 1.0 - below), lambda: _sigmoid_quotient(x))


def _sigmoid_quotient(x: F) -> F:
    """The logistic function by an exponential and a division, whatever x is."""
    e, e_low = _exp_of_negative(-abs(x))
    inverse = 1.0 / (e + 1.0)
    below = x < 0.0
    top = below.select(e, 1.0)
    q = top * inverse
    rest = fma(-q, e, top - q)  # the difference is exact: this takes 1 + e as it is, not rounded
    rest = rest + e_low * below.select(1.0 - q, -q)
    return fma(rest, inverse, q)


TABLE_START = 0x3FEF800000000000  # the bits of 63/64, from which the table of logarithms goes to its double
ROOT_HALF = {True: 0x3FE6A09E667F3BCD, False: 0x3F3504F3}  # the bits of sqrt(1/2), of doubles and of floats


def _split_log(x: F, zero: bool = True) -> tuple[F, F]:
    """x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for positive finite x; returns k as a float, and f
    (exact). zero: of 0 both are finite too.
    """
    n, m = _split_binade(x, ROOT_HALF[x.k.wide], zero)
    return n, m - 1.0


def _split_binade(x: F, offset: int, zero: bool, normal: bool = False) -> tuple[F, F]:
    """x = 2^k m for positive finite x, m from the number below 1 on whose bits `offset` is, and less than its double;
    k is a float. normal: x is not subnormal.
    """
    k = x.k
    whole, m = (None, None) if zero else (_by_exponents("getexp", x), _by_exponents("getmant", x, kind=0))
    if whole is not None and m is not None:  # m in [1, 2)
        above = m >= k.i(offset + (1 << k.mantissa)).as_float()
        return above.select(whole + 1.0, whole), above.select(m * 0.5, m)
    subnormal = x < k.tiny
    scaled = x if normal else subnormal.select(x * 2.0 ** (k.mantissa + 1), x)
    raw = scaled.as_int() - (offset - (k.bias << k.mantissa))
    m = ((raw & ((1 << k.mantissa) - 1)) + offset).as_float()
    # AVX2 converts no integers to doubles: the exponent becomes the last bits of a large one.
    large = 2.0**k.mantissa
    n = (raw.lshr(k.mantissa) | k.c(large).as_int()).as_float() - (large + k.bias)
    return (n if normal else n - subnormal.select(float(k.mantissa + 1), 0.0)), m


def _log_by_table(n: F, m: F) -> F:
    """log(2^n m) of doubles without a division, m in [63/64, 63/32) and so near one of 16 numbers, whose reciprocal c
    and its logarithm are in a table: n log 2 - log c + log(1 + r) with r = m c - 1. Next to 1 these are 0, 0 and log m.
    """
    k = n.k
    c, high, low = sixteenths("log_table", (m.as_int() + (1 << 47)).lshr(48))
    r = fma(m, c, -1.0)
    series = fma(k.poly("log_near", r), r, -0.5)
    if k.rough:
        return fma(n, k.constant("ln2")[0], high) + fma(series, r * r, r)
    ln2 = k.constant("ln2_short")
    rest = fma(series, r * r, fma(n, ln2[1], low))
    return fma(n, ln2[0], high) + (r + rest)  # the product and its sum are exact


def _log_by_series(n: F, m: F) -> F:
    """log(2^n m) of floats, m in [sqrt(1/2), sqrt(2))."""
    ln2, f = n.k.constant("ln2"), m - 1.0
    return fma(n, ln2[0], f + fma(n, ln2[1], _log_series(f)))


def _log_series(f: F) -> F:
    """log(1 + f) - f, for 1 + f in [sqrt(1/2), sqrt(2))."""
    k = f.k
    if not k.wide:  # no division; in double precision the series would be twice as long
        return (f * f) * fma(k.poly("log", f), f, -0.5)
    s = f / (f + 2.0)
    z = s * s
    return s * fma(k.poly("logs", z), z, -f)


def _log_edges(x: F, result: F) -> F:
    """The logarithm's values at 0, below 0, at infinity and NaN."""
    return x.k.where_any(_beyond_log(x), result, lambda: _log_beyond(x))


def _log_beyond(x: F) -> F:
    """The logarithm of what is not a positive finite number."""
    below = x.eq(0.0).select(-math.inf, math.nan)
    return (x > 0.0).select(x, x.is_nan().select(x, below))


def _beyond_log(x: F) -> M:
    """Whether x is not a positive finite number."""
    k, width = x.k, _in_wholes(x)
    if not width:
        return ~((x > 0.0) & (x < math.inf))
    name, mask = f"x86.avx512.fpclass.p{'d' if k.wide else 's'}.512", ir.vector(ir.I1, width)
    kinds = ir.constant(ir.I32, 0b11011111)  # NaN, zeros, infinities and what is below 0
    return M(k, in_parts(k.b, width, lambda part: k.b.intrinsic(name, mask, [part, kinds]), x.v))


def log(x: F) -> F:
    """The natural logarithm."""
    k = x.k
    offset, of_parts = (TABLE_START, _log_by_table) if k.wide else (ROOT_HALF[False], _log_by_series)
    if _in_wholes(x):
        return _log_edges(x, of_parts(*_split_binade(x, offset, zero=False)))

    def edges() -> F:
        up = k.mantissa + 1
        n, m = _split_binade(x * 2.0**up, offset, zero=False, normal=True)
        return ((x > 0.0) & (x < k.tiny)).select(of_parts(n - float(up), m), _log_beyond(x))

    usual = of_parts(*_split_binade(x, offset, zero=False, normal=True))
    return k.where_any(_beyond_normal(x), usual, edges)


def _beyond_normal(x: F) -> M:
    """Whether x is not a positive normal finite number."""
    k = x.k
    if k.wide:
        return ~((x >= k.tiny) & (x < math.inf))
    # in one comparison: bits from those of the least normal number on, moved to where integers begin
    least, end = 1 << k.mantissa, (2 * k.bias + 1) << k.mantissa
    return x.as_int() - (least - (1 << 31)) > end - least - (1 << 31) - 1


def _log_base(x: F, unit: str, base: str | None) -> F:
    """n log_b(2) + log(1 + f) log_b(e), the last product in two parts; `base` None means log_b(2) = 1."""
    k = x.k
    n, f = _split_log(x, zero=False)
    high, low = k.constant(unit)[:2]
    q = _log_series(f)
    p, e = two_product(f, high)
    rest = fma(f, low, fma(q, high, e))
    if base is None:
        s, t = two_sum(n, p)
        return _log_edges(x, s + (t + rest))
    factor = k.constant(base)
    s, t = two_sum(n * factor[0], p)
    return _log_edges(x, s + (t + fma(n, factor[1], rest)))


def log2(x: F) -> F:
    """The logarithm to base 2."""
    return _log_base(x, "log2e", None)


def log10(x: F) -> F:
    """The logarithm to base 10."""
    return _log_base(x, "log10e", "log10_2_short")


def _split_normal(x: F) -> tuple[F, F, F]:
    """`_split_log` for an x known to be normal, and 2^(1 - k) besides (0 where that would be subnormal)."""
    k = x.k
    offset = ROOT_HALF[k.wide]
    raw = x.as_int() - offset
    exponent = raw >> k.mantissa
    m = ((raw & ((1 << k.mantissa) - 1)) + offset).as_float()
    return exponent.to_float(), m - 1.0, k.pow2(k.i(1) - exponent)


def log_of_sum(x: F, lo: F) -> F:
    """log(x + lo) where x is normal and finite and lo is at most an ulp or so of x (no special values)."""
    k = x.k
    n, f, shrink = _split_normal(x)
    scaled = lo * 0.5 * shrink
    f, error = fast_two_sum(f, scaled)
    error = (abs(f) < abs(scaled)).select(error * 0.0, error)
    ln2 = k.constant("ln2_short")
    low = fma(n, ln2[1], _log_series(f) + error)
    high, error = two_sum(n * ln2[0], f)
    return high + (error + low)


def log1p(x: F) -> F:
    """log(1 + x)."""
    k = x.k
    u, lo = two_sum(x, 1.0)
    result = log_of_sum(u, lo)
    # 1 + x rounds to 1: the sum's error is x itself, and log(1 + x) = x to the last bit
    result = (abs(x) < 2.0 ** -(k.mantissa + 2)).select(x, result)
    result = (x < math.inf).select(result, x)
    result = (x < -1.0).select(math.nan, result)
    return x.eq(-1.0).select(-math.inf, result)


def tanh(x: F) -> F:
    """The hyperbolic tangent; in double precision an odd polynomial below 0.55, 1 - 2/(e^2x + 1) above."""
    k = x.k
    a = abs(x)
    if not k.wide:
        a = a.at_most(9.5)
        return on_segments("tanh_segments", a, segment(a.at_least(BELOW_FIRST))).signed_as(x)
    z = x * x
    small = fma(k.poly("tanh", z) * z, a, a)
    e = exp(a.at_most(22.0) * 2.0)
    large = 1.0 - 2.0 / (e + 1.0)
    return (a < 0.55).select(small, large).signed_as(x)


def _half_exp(a: F) -> tuple[F, F]:
    """e^a / 2 for a >= 0, without an early overflow, and the rounding error of its mantissa scaled alike."""
    k = a.k
    _, s1, s2, r, lo = _reduce_exp(a.at_most(712.0 if k.wide else 91.0))
    q = fma(k.poly("exp", r), r * r, lo)
    high, low = fast_two_sum(1.0, r)
    p, e = fast_two_sum(high, low + q)
    half = s2 * 0.5
    return p * s1 * half, e * s1 * half


def odd_polynomial(name: str, x: F) -> tuple[F, F]:
    """|x|, and the odd function that a polynomial in x^2 gives near 0, at |x|."""
    a = abs(x)
    z = x * x
    return a, fma(x.k.poly(name, z) * z, a, a)


def sinh(x: F) -> F:
    """The hyperbolic sine: an odd polynomial below 1, e^x/2 - e^-x/2 above."""
    a, small = odd_polynomial("sinh", x)
    h, e = _half_exp(a)
    large = h + (e - 0.25 / h)
    large = (h < math.inf).select(large, h)
    return (a < 1.0).select(small, large).signed_as(x)


def cosh(x: F) -> F:
    """The hyperbolic cosine."""
    h, e = _half_exp(abs(x))
    return (h < math.inf).select(h + (e + 0.25 / h), h)


def asinh(x: F) -> F:
    """The inverse hyperbolic sine: an odd polynomial below 1/2, log(x + sqrt(x^2 + 1)) above."""
    k = x.k
    a, small = odd_polynomial("asinh", x)
    huge = a > 2.0 ** (k.mantissa + 4)
    u = huge.select(1.0, a)
    p, e = two_product(u, u)
    s, t = two_sum(p, 1.0)
    e = e + t
    root = s.sqrt()
    root_low = (fma(-root, root, s) + e) / (root + root)
    y, t = two_sum(u, root)
    large = _log_large(a, huge, y, t + root_low)
    return (a < 0.5).select(small, large).signed_as(x)


def _log_large(a: F, huge: M, y: F, lo: F) -> F:
    """log(y + lo), or log(2a) in the lanes where a is huge."""
    k = a.k
    y = huge.select(a, y)
    lo = huge.select(0.0, lo)
    ln2 = k.constant("ln2_short")
    n, f, shrink = _split_normal(y)
    n = huge.select(n + 1.0, n)
    scaled = lo * 0.5 * shrink
    f, error = two_sum(f, scaled)
    low = fma(n, ln2[1], _log_series(f) + error)
    high, error = two_sum(n * ln2[0], f)
    return (a < math.inf).select(high + (error + low), a)


def acosh(x: F) -> F:
    """The inverse hyperbolic cosine, log(x + sqrt(x^2 - 1)) through t = x - 1, which is exact where it matters."""
    k = x.k
    huge = x > 2.0 ** (k.mantissa + 4)
    t = huge.select(1.0, x - 1.0)
    # y = 1 + t + sqrt(t (t + 2)); near 1 everything but the 1 is in the low part, where _log_large finds it
    p, e = two_product(t, t)
    s, d = two_sum(t + t, p)
    e = e + d
    root = s.sqrt()
    root_low = (fma(-root, root, s) + e) / (root + root)
    root_low = s.eq(0.0).select(s, root_low)
    w, d = two_sum(root, t)
    w_low = d + root_low
    y, d = two_sum(w, 1.0)
    result = _log_large(x, huge, y, d + w_low)
    return (x < 1.0).select(math.nan, result)


def atanh(x: F) -> F:
    """The inverse hyperbolic tangent: an odd polynomial below 1/2, half of log((1 + x)/(1 - x)) above."""
    a, small = odd_polynomial("atanh", x)
    n, n_low = fast_two_sum(1.0, a)
    d = 1.0 - a  # exact for a >= 1/2
    q = n / d
    lo = (fma(-q, d, n) + n_low) / d
    ok = (a >= 0.5) & (a < 1.0)
    never = x.k.c(0.0) > 1.0
    large = _log_large(ok.select(a, 0.0), never, ok.select(q, 1.0), ok.select(lo, 0.0)) * 0.5
    large = a.eq(1.0).select(math.inf, large)
    result = (a < 0.5).select(small, large).signed_as(x)
    return (a <= 1.0).select(result, math.nan)


def _pow_log(x: F) -> tuple[F, F]:
    """log x for positive finite x as a double word with relative error about 2^-68 (double precision)."""
    k = x.k
    n, f = _split_log(x)
    d, d_low = fast_two_sum(2.0, f)
    s = f / d
    s_low = (fma(-s, d, f) - s * d_low) / d
    z, z_low = two_product(s, s)
    z_low = fma(s + s, s_low, z_low)
    # q = 2/3 + 2/5 z + z^2 P(z), as a double word
    c3, c5 = k.constant("2/3"), k.constant("2/5")
    tail = k.poly("powlog", z) * z
    u, u_low = fast_two_sum(c5[0], tail)
    u_low = u_low + c5[1]
    p, e = two_product(u, z)
    e = fma(u, z_low, fma(u_low, z, e))
    q, q_low = fast_two_sum(c3[0], p)
    q_low = q_low + (e + c3[1])
    # s z q
    w, w_low = two_product(s, z)
    w_low = fma(s, z_low, fma(s_low, z, w_low))
    v, v_low = two_product(w, q)
    v_low = fma(w, q_low, fma(w_low, q, v_low))
    h, h_low = fast_two_sum(s + s, v)
    h_low = h_low + (s_low + s_low + v_low)
    ln2 = k.constant("ln2_short")
    r, r_low = fast_two_sum(n * ln2[0], h)
    r, r_low = n.eq(0.0).select(h, r), n.eq(0.0).select(n * 0.0, r_low)
    r_low = r_low + fma(n, ln2[1], h_low)
    return fast_two_sum(r, r_low)


def _pow_magnitude64(a: F, y: F) -> F:
    """a^y for a > 0 in double precision."""
    high, low = _pow_log(a)
    y = y.at_most(2.0**80).at_least(-(2.0**80))  # larger ones only overflow, and would make inf - inf
    p, e = two_product(high, y)
    e = fma(low, y, e)
    p, e = fast_two_sum(p, e)
    return exp_of_sum(p, e)


def _pow_magnitude32(a: F, y: F) -> F:
    """a^y for a > 0 in float, through double precision: as many instructions as float pairs, and twice as sharp."""
    wide = a.k.rough_doubles()
    logarithm = _log_by_table(*_split_binade(a.to(wide), TABLE_START, zero=False, normal=True))
    return exp_in_range((y.to(wide) * logarithm).at_most(100.0).at_least(-110.0)).to(a.k)


def exp_in_range(t: F) -> F:
    """e^t of doubles, |t| < 700."""
    k = t.k
    magic = 1.5 * 2.0**k.mantissa + k.bias
    shifted = fma(t, k.constant("log2e")[0], magic)
    r, scale = fma(shifted - magic, -k.constant("ln2")[0], t), (shifted.as_int() << k.mantissa).as_float()
    return fma(k.poly("exp", r), r * r, r) * scale + scale


def pow(x: F, y: F) -> F:
    """x^y with every special value of ISO C99 F.9.4.4."""
    k = x.k
    a = abs(x)
    size = _pow_magnitude64(a, y) if k.wide else _pow_magnitude32(a, y)
    return k.where_any(_beyond_log(x) | ~(abs(y) < math.inf), size, lambda: _pow_edges(x, y, size))


def _pow_edges(x: F, y: F, size: F) -> F:
    """x^y where x is not a positive finite number, or y none, from |x|^y where that is a number."""
    k = x.k
    a, b = abs(x), abs(y)
    grows = (a > 1.0) ^ (y < 0.0)  # does |x|^|y| go to infinity as y does?
    edge = a.eq(0.0) | a.eq(math.inf) | b.eq(math.inf)
    size = edge.select(grows.select(math.inf, 0.0), size)
    size = (a.eq(1.0) | y.eq(0.0)).select(1.0, size)
    # is y an integer, an odd one?
    whole = k.call("trunc", b).eq(b) | b.eq(math.inf)
    half = b * 0.5
    odd = (~k.call("trunc", half).eq(half)) & whole & (b < 2.0 ** (k.mantissa + 1))
    sign = I(k, odd.select(x.as_int(), 0).v) & (1 << (k.bits - 1))
    result = (size.as_int() | sign).as_float()
    result = ((x < 0.0) & (a < math.inf) & ~whole).select(math.nan, result)
    result = (x.is_nan() | y.is_nan()).select(x + y, result)
    return (x.eq(1.0) | y.eq(0.0)).select(1.0, result)


def sqrt(x: F) -> F:
    """The square root, correctly rounded."""
    return x.sqrt(alone=True)


def rsqrt(x: F) -> F:
    """1 / sqrt(x)."""
    k = x.k
    half = k.mantissa + 5
    tiny = x < 2.0 ** (2 * half - k.bias)  # scaled up, so that no remainder below is lost to underflow
    y = tiny.select(x * 2.0 ** (2 * half), x)
    root = y.sqrt(alone=True)
    result = 1.0 / root
    # the roundings of the root and of the quotient, put back
    residue = fma(-root, root, y) * (result * -0.5)
    rest = fma(residue, result, fma(-root, result, 1.0))
    fixed = fma(rest, result, result)
    fixed = fixed.is_nan().select(result, fixed)  # 0, infinity and NaN
    return fixed * tiny.select(2.0**half, 1.0)


FUNCTIONS: dict[str, Callable[..., F]] = {
    "exp": exp, "exp2": exp2, "expm1": expm1, "log": log, "log2": log2, "log10": log10, "log1p": log1p,
    "sqrt": sqrt, "rsqrt": rsqrt, "sinh": sinh, "cosh": cosh, "tanh": tanh, "asinh": asinh, "acosh": acosh,
    "atanh": atanh, "sigmoid": sigmoid, "pow": pow,
}  # fmt: skip
