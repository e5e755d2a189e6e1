"""Trigonometric functions and their inverses, as LLVM IR.

Sources: W. Cody & W. Waite, "Software Manual for the Elementary Functions" (1980), reduction by pi/2 in parts;
M. Payne & R. Hanek, SIGNUM Newsletter 18 (1983) 19, reduction of huge arguments; J.-M. Muller, "Elementary Functions"
(2016), chapter 11; ISO C99 Annex F, special values. The polynomials come from benchmarks/minimax.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from rushlight.compiler.llvm import ir
from rushlight.compiler.vecmath.base import F, I, M, fast_two_sum, fma, two_product, two_sum
from rushlight.compiler.vecmath.coefficients import TWO_LN2_OVER_PI, TWO_OVER_PI

# Up to here n pi/2 in three fused steps leaves an error far below the result's last bit.
FAST_LIMIT = {"f32": 2.0**16, "f64": 2.0**25}


# What an argument may be multiplied by on its way to quadrants.
QUADRANTS = {"rl.two_over_pi": TWO_OVER_PI, "rl.two_ln2_over_pi": TWO_LN2_OVER_PI}


def _words(name: str, bits: int, count: int) -> list[int]:
    """64 zero bits, then a number of QUADRANTS, in words of `bits` bits."""
    mask = (1 << bits) - 1
    return [0] * (64 // bits) + [(QUADRANTS[name] >> (1280 - bits * (i + 1))) & mask for i in range(count)]


def _reduce(x: F) -> tuple[I, F, F]:
    """x = q pi/2 + r + lo with |r| <= pi/4 and a little; q is known modulo 4. Infinite x gives NaN.

    lo is small where r is not, but not r's rounding error: next to a zero of the sine it may be nearly as large.
    """
    k = x.k
    magic = 1.5 * 2.0**k.mantissa
    p = k.constant("pi_2")
    shifted = fma(x, k.constant("2_pi")[0], magic)
    n = shifted - magic
    high = fma(n, -p[0], x)  # exact: the product and x share their leading bits
    w, w_low = two_product(n, p[1])
    r, e = two_sum(high, -w)
    quick = [shifted.as_int(), r, fma(n, -p[2], e - w_low)]
    q, r, lo = k.rare(abs(x) > FAST_LIMIT[k.kind], quick, _reduce_huge, x)
    return q, r, lo


def reduce_ln2(x: F) -> tuple[I, F, F]:
    """x log 2 = q pi/2 + r + lo, as `_reduce`; for double precision."""
    k = x.k
    ln2 = k.constant("ln2")
    high, low = two_product(x, ln2[0])
    q, r, lo = _reduce(high.at_most(FAST_LIMIT[k.kind]).at_least(-FAST_LIMIT[k.kind]))
    r, lo = two_sum(r, lo + fma(x, ln2[1], low))
    q, r, lo = k.rare(abs(x) > FAST_LIMIT[k.kind], [q, r, lo], lambda v: _reduce_huge(v, "rl.two_ln2_over_pi"), x)
    return q, r, lo


def _reduce_huge(x: F, factor: str = "rl.two_over_pi") -> tuple[I, F, F]:
    """`_reduce`, of x or its product with another factor, by Payne and Hanek's method: the product of x's integer
    mantissa with a window of the bits of 2/pi.

    x = m 2^e with m an integer. Bits of 2/pi worth 4 or more after scaling by 2^e only add multiples of four
    quadrants, so a window that starts at the bit worth 2 gives the product modulo 4 as a fixed-point number.
    """
    k = x.k
    raw = x.as_int()
    e = (raw.lshr(k.mantissa) & (2 * k.bias + 1)) - (k.bias + k.mantissa)
    m = (raw & ((1 << k.mantissa) - 1)) | (1 << k.mantissa)
    q, sign, r, lo = (_quadrant64 if k.wide else _quadrant32)(m, e + 62, factor)
    flip = sign ^ (raw & (1 << (k.bits - 1)))
    r = (r.as_int() ^ flip).as_float()
    lo = (lo.as_int() ^ flip).as_float()
    q = (raw < 0).select(k.i(0) - q, q)
    return q, (abs(x) < math.inf).select(r, math.nan), lo


def _window(table: str, words: list[int], at: I, count: int) -> list[I]:
    """`count` words of the table from bit `at` on."""
    k = at.k
    array = k.table(table, lambda: words)
    log = 6 if k.wide else 5
    index, shift = at.lshr(log), at & (k.bits - 1)
    raw = [k.lookup(array, index + j) for j in range(count + 1)]
    # a shift by the whole width is undefined: shift the next word by one, and then by what is left
    back = k.i(k.bits - 1) - shift
    return [(raw[j] << shift) | raw[j + 1].lshr(1).lshr(back) for j in range(count)]


def _quadrant32(m: I, at: I, factor: str) -> tuple[I, I, F, F]:
    """For a 24-bit m: the nearest quadrant, and the rest's sign bit and size in radians as a double word."""
    k = m.k
    wide = k.doubles()

    def widen(v: I) -> I:
        return I(wide, k.b.zext(v.v, wide.int_type))

    w = [widen(v) for v in _window(f"{factor}.32", _words(factor, 32, 12), at, 3)]
    n = widen(m)
    total = ((n * w[0]) << 32) + n * w[1] + (n * w[2]).lshr(32)  # unit 2^-62, modulo 4
    quadrant = (total + (1 << 61)).lshr(62)
    fraction = total << 2  # signed, unit 2^-64
    negative = fraction < 0
    size = negative.select(wide.i(0) - fraction, fraction).lshr(1).to_float()
    angle = size * (2.0**-63 * wide.constant("pi_2")[0])
    r = angle.to(k)
    sign = I(k, k.b.trunc(fraction.lshr(32).v, k.int_type)) & (1 << 31)
    return I(k, k.b.trunc(quadrant.v, k.int_type)), sign, r, (angle - r.to(wide)).to(k)


def _quadrant64(m: I, at: I, factor: str) -> tuple[I, I, F, F]:
    """For a 53-bit m: the nearest quadrant, and the rest's sign bit and size in radians as a double word."""
    k = m.k
    w = _window(f"{factor}.64", _words(factor, 64, 20), at, 3)
    b, i128 = k.b, ir.integer(128)  # a product of two words is one instruction on every 64-bit processor
    n, v0, v1, v2 = (b.zext(v.v, i128) for v in (m, *w))
    word = i128(64)
    total = b.add(b.shl(b.mul(n, v0), word), b.add(b.mul(n, v1), b.lshr(b.mul(n, v2), word)))  # unit 2^-126, modulo 4
    high, low = I(k, b.trunc(b.lshr(total, word), k.int_type)), I(k, b.trunc(total, k.int_type))
    quadrant = (high + (1 << 61)).lshr(62)
    high, low = (high << 2) | low.lshr(62), low << 2  # signed, unit 2^-128
    sign = high & (1 << 63)
    negative = high < 0
    borrow = low.eq(0).select(k.i(0), k.i(1))
    high, low = negative.select(k.i(0) - high - borrow, high), negative.select(k.i(0) - low, low)
    # three exact pieces of 42 bits
    piece = (1 << 42) - 1
    a = high.lshr(21).to_float() * 2.0**-43
    middle = (((high << 21) | low.lshr(43)) & piece).to_float() * 2.0**-85
    c = (low.lshr(1) & piece).to_float() * 2.0**-127
    t, e = fast_two_sum(a, middle)
    t, e = fast_two_sum(t, e + c)
    p = k.constant("pi_2")
    r, r_low = two_product(t, p[0])
    r, lo = fast_two_sum(r, r_low + fma(t, p[1], e * p[0]))
    return quadrant, sign, r, lo


def sin_cos(r: F, lo: F) -> tuple[F, F]:
    """sin and cos of r + lo, |r| <= pi/4 and a little."""
    k = r.k
    z = r * r
    h = z * 0.5
    s = r + fma(k.poly("sin", z), z * r, fma(lo, -h, lo))
    w = 1.0 - h
    c = w + (((1.0 - w) - h) + fma(z * z, k.poly("cos", z), -(r * lo)))
    return s, c


def _quadrant_sign(q: I) -> I:
    """The sign bit set where bit 1 of q is."""
    return (q & 2) << (q.k.bits - 2)


def sin(x: F) -> F:
    """The sine."""
    q, r, lo = _reduce(x)
    s, c = sin_cos(r, lo)
    size = (q & 1).eq(0).select(s, c)
    return x.eq(0.0).select(x, (size.as_int() ^ _quadrant_sign(q)).as_float())


def cos(x: F) -> F:
    """The cosine."""
    q, r, lo = _reduce(x)
    s, c = sin_cos(r, lo)
    size = (q & 1).eq(0).select(c, s)
    return (size.as_int() ^ _quadrant_sign(q + 1)).as_float()


def tan(x: F) -> F:
    """The tangent."""
    k = x.k
    q, r, lo = _reduce(x)
    z = r * r
    t, t_low = fast_two_sum(r, fma(k.poly("tan", z), z * r, fma(lo, z, lo)))
    inverse = -1.0 / t
    inverse = fma(inverse, fma(inverse, t_low, fma(inverse, t, 1.0)), inverse)
    return x.eq(0.0).select(x, (q & 1).eq(0).select(t, inverse))


def _root(z: F) -> tuple[F, F]:
    """sqrt(z) as a double word."""
    s = z.sqrt()
    c = fma(-s, s, z) / (s + s)
    return s, s.eq(0.0).select(s, c)


def _halved(x: F) -> tuple[F, M, F, F, F]:
    """|x|; whether it is below 1/2; (asin(y) - y)/y for y = x there and y = sqrt((1 - |x|)/2) above; and that root, a
    double word.
    """
    a = abs(x)
    small = a < 0.5
    z = small.select(x * x, (1.0 - a) * 0.5)
    return a, small, x.k.poly("asin", z) * z, *_root(z)


def asin(x: F) -> F:
    """The inverse sine: a polynomial below 1/2, pi/2 - 2 asin(sqrt((1 - |x|)/2)) above."""
    a, small, p, s, c = _halved(x)
    half_pi = x.k.constant("pi_2")
    high, low = fast_two_sum(half_pi[0], s * -2.0)
    large = high + (low + (half_pi[1] - 2.0 * fma(s, p, c)))
    return small.select(fma(a, p, a), large).signed_as(x)


def acos(x: F) -> F:
    """The inverse cosine."""
    k = x.k
    _, small, p, s, c = _halved(x)
    # base - (u + v): u + v is asin(x), or 2 asin(s)
    u = small.select(x, s + s)
    v = small.select(x * p, 2.0 * fma(s, p, c))
    half_pi, pi = k.constant("pi_2"), k.constant("pi")
    base = small.select(half_pi[0], (x < 0.0).select(pi[0], 0.0))
    base_low = small.select(half_pi[1], (x < 0.0).select(pi[1], 0.0))
    positive = (~small) & (x >= 0.0)
    high, low = two_sum(base, -u)
    return positive.select(u + v, high + (low + (base_low - v)))


def _atan_unit(t: F) -> F:
    """atan(t) - t for 0 <= t <= 1."""
    z = t * t
    return t.k.poly("atan", z) * z * t


def atan(x: F) -> F:
    """The inverse tangent, of 1/x above 1."""
    a = abs(x)
    inverted = a > 1.0
    inverse = 1.0 / a
    t = inverted.select(inverse, a)
    p = fma(fma(-inverse, a, 1.0), inverse, _atan_unit(t))  # with the reciprocal's own error, used above 1 alone
    half_pi = x.k.constant("pi_2")
    high, low = fast_two_sum(half_pi[0], -t)
    finite = (a < math.inf).select(high + (low + (half_pi[1] - p)), half_pi[0])
    return inverted.select(finite, t + _atan_unit(t)).signed_as(x)


def atan2(y: F, x: F) -> F:
    """The angle of the point (x, y), with the special values of ISO C99 F.9.1.4."""
    k = x.k
    ax, ay = abs(x), abs(y)
    swap = ay > ax
    num, den = swap.select(ax, ay), swap.select(ay, ax)
    # keep the quotient's correction away from underflow and overflow
    shrink = (den > 2.0 ** (k.bias - 2)).select(2.0**-4, 1.0)
    num, den = num * shrink, den * shrink
    t = num / den
    t_low = fma(-t, den, num) / den
    usable = (t > 2.0 ** (3 - k.bias)) & (num > 2.0 ** (2 + k.mantissa - k.bias)) & (den < math.inf)
    t_low = usable.select(t_low, 0.0)
    t = den.eq(0.0).select(0.0, t)
    t = num.eq(math.inf).select(1.0, t)
    rest = _atan_unit(t) + t_low / fma(t, t, 1.0)
    negative = x.as_int() < 0
    minus = swap ^ negative
    half_pi, pi = k.constant("pi_2"), k.constant("pi")
    base = swap.select(half_pi[0], negative.select(pi[0], 0.0))
    base_low = swap.select(half_pi[1], negative.select(pi[1], 0.0))
    t, rest = minus.select(-t, t), minus.select(-rest, rest)
    high, low = two_sum(base, t)
    result = (swap | negative).select(high + (low + (base_low + rest)), t + rest).signed_as(y)
    return (x.is_nan() | y.is_nan()).select(x + y, result)


def hypot(x: F, y: F) -> F:
    """sqrt(x^2 + y^2) without undue overflow or underflow; infinite when either argument is (ISO C99 F.9.4.3)."""
    k = x.k
    ax, ay = abs(x), abs(y)
    infinite = ax.eq(math.inf) | ay.eq(math.inf)
    if not k.wide:
        u, v = ax.to(k.doubles()), ay.to(k.doubles())
        return infinite.select(math.inf, fma(u, u, v * v).sqrt().to(k))
    high = (ax > ay).select(ax, ay)
    low = (ax > ay).select(ay, ax)
    scale = (high > 2.0**500).select(2.0**-600, (high < 2.0**-400).select(2.0**600, 1.0))
    back = (high > 2.0**500).select(2.0**600, (high < 2.0**-400).select(2.0**-600, 1.0))
    u, v = high * scale, low * scale
    p, e = two_product(u, u)
    q, f = two_product(v, v)
    s, d = fast_two_sum(p, q)
    root = s.sqrt()
    fix = (fma(-root, root, s) + (d + (e + f))) / (root + root)
    result = (root + s.eq(0.0).select(s, fix)) * back
    result = (x.is_nan() | y.is_nan()).select(x + y, result)
    return infinite.select(math.inf, result)


FUNCTIONS: dict[str, Callable[..., F]] = {
    "sin": sin, "cos": cos, "tan": tan, "asin": asin, "acos": acos, "atan": atan, "atan2": atan2, "hypot": hypot,
}  # fmt: skip
