"""Functions of a complex variable, as LLVM IR: a value is a pair of floats, the real and the imaginary part.

Sources: W. Kahan, "Branch cuts for complex elementary functions" (1987), the cuts, signed zeros and the tangent;
T. Hull, T. Fairgrieve & P. Tang, ACM TOMS 20 (1994) 215 and 23 (1997) 299, sqrt, log, asin and acos; ISO C99 Annex G,
special values. The inverse functions, the quotients and pow of a complex64 are done in double precision, where its
squares cannot overflow and no digit is lost to cancellation; those of a complex128 scale their arguments first.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

from rushlight.compiler.vecmath.base import F, I, M, fast_two_sum, fma, two_product, two_sum
from rushlight.compiler.vecmath.exponential import _reduce_exp, log_of_sum
from rushlight.compiler.vecmath.exponential import log1p as _log1p_real
from rushlight.compiler.vecmath.trigonometric import _quadrant_sign, _reduce, atan2, hypot, reduce_ln2, sin_cos

C = tuple[F, F]
LN2 = math.log(2.0)


def _in_doubles(function: Callable[..., C]) -> Callable[..., C]:
    """The function in double precision, for floats with polynomials of the degree that a float result needs."""

    @functools.wraps(function)
    def run(*parts: C) -> C:
        k = parts[0][0].k
        if k.wide:
            return function(*parts)
        wide = k.rough_doubles()
        re, im = function(*((x.to(wide), y.to(wide)) for x, y in parts))
        return re.to(k), im.to(k)

    return run


def _zero_like(x: F) -> F:
    return x.k.c(0.0).signed_as(x)


def _flip(x: F, y: F) -> F:
    """x with its sign changed where y has its sign bit set."""
    return (x.as_int() ^ (y.as_int() & (1 << (x.k.bits - 1)))).as_float()


def _finite(x: F) -> M:
    return abs(x) < math.inf


def _turned(function: Callable[[C], C]) -> Callable[[C], C]:
    """-i f(i z), which is the circular function of a hyperbolic one and the reverse."""

    def turned(z: C) -> C:
        re, im = function((-z[1], z[0]))
        return im, -re

    return turned


# -- arithmetic
# ----------------------------------------------------------------------------------------------------------
def mul(z: C, w: C) -> C:
    """z w, by the four products; no infinities are recovered, as in PyTorch."""
    (a, b), (c, d) = z, w
    return a * c - b * d, a * d + b * c


def _scale_of(x: F, y: F) -> I:
    """The exponent of the larger part, kept where both 2^e and 2^-e are normal."""
    k = x.k
    a, b = abs(x), abs(y)
    larger = (a > b).select(a, b)
    larger = larger.is_nan().select(1.0, larger)
    e = larger.as_int().lshr(k.mantissa) - k.bias
    e = (e > k.bias - 1).select(k.bias - 1, e)
    return (e < 1 - k.bias).select(1 - k.bias, e)


def _sum_of_products(a: F, b: F, c: F, d: F) -> F:
    """a b + c d with an error of an ulp or so, cancellation notwithstanding (Kahan)."""
    p, e = two_product(c, d)
    total = fma(a, b, p)
    return (abs(total) < math.inf).select(total + e, total)


@_in_doubles
def div(z: C, w: C) -> C:
    """z / w without undue overflow or underflow; zero over an infinite w."""
    (a, b), (c, d) = z, w
    k = a.k
    infinite = abs(c).eq(math.inf) | abs(d).eq(math.inf)
    c, d = (infinite.select(abs(v).eq(math.inf).select(1.0, 0.0).signed_as(v), v) for v in (c, d))
    shrink = infinite.select(0.0, 1.0)
    if k.rough:
        inverse = 1.0 / fma(c, c, d * d)
        re, im = fma(a, c, b * d), fma(b, c, -(a * d))
        nil = c.eq(0.0) & d.eq(0.0)
        inverse = nil.select(k.c(math.inf).signed_as(c), inverse * shrink)
        return nil.select(a, re) * inverse, nil.select(b, im) * inverse
    n, m = _scale_of(a, b), _scale_of(c, d)
    up, down = k.pow2(k.i(0) - n), k.pow2(k.i(0) - m)
    a, b, c, d = a * up, b * up, c * down, d * down
    size = fma(c, c, d * d)
    re, im = _sum_of_products(a, c, b, d), _sum_of_products(b, c, -a, d)
    nil = size.eq(0.0)
    re, im, size = nil.select(a, re), nil.select(b, im), nil.select(c, size)
    e = n - m
    half = e >> 1
    s1, s2 = k.pow2(half) * shrink, k.pow2(e - half)
    return re / size * s1 * s2, im / size * s1 * s2


@_in_doubles
def reciprocal(z: C) -> C:
    """1 / z without undue overflow or underflow."""
    x, y = z
    k = x.k
    infinite = abs(x).eq(math.inf) | abs(y).eq(math.inf)
    if k.rough:
        inverse = 1.0 / fma(x, x, y * y)
        re, im = x * inverse, -y * inverse
    else:
        s = k.pow2(k.i(0) - _scale_of(x, y))
        u, v = x * s, y * s
        size = fma(u, u, v * v)
        re, im = u / size * s, -v / size * s
    re = (x.eq(0.0) & y.eq(0.0)).select(k.c(math.inf).signed_as(x), re)
    return infinite.select(_zero_like(x), re), infinite.select(_zero_like(-y), im)


def absolute(z: C) -> F:
    """The modulus."""
    return hypot(*z)


def angle(z: C) -> F:
    """The argument, in [-pi, pi]."""
    return atan2(z[1], z[0])


# -- exponentials
# --------------------------------------------------------------------------------------------------------
def _sin_and_cos(y: F, reduce: Callable[[F], tuple[I, F, F]] = _reduce) -> C:
    """The sine and the cosine of one argument, or of what `reduce` makes of it."""
    q, r, lo = reduce(y)
    s, c = sin_cos(r, lo)
    even = (q & 1).eq(0)
    sine = (even.select(s, c).as_int() ^ _quadrant_sign(q)).as_float()
    return y.eq(0.0).select(y, sine), (even.select(c, s).as_int() ^ _quadrant_sign(q + 1)).as_float()


def _exp_parts(x: F, tail: F | None = None) -> tuple[F, F, F, F]:
    """e^(x + tail) as p s1 s2 with p near 1, far beyond where it overflows, and the rounding error of p.

    x is limited to 1417 (175 in float). A larger one times a sine below 2^-1022 (2^-126) is the one product that could
    still be finite and is not right.
    """
    k = x.k
    limit = k.bias * 2 * LN2 - 0.4  # the factors 2^n are normal up to there
    _, s1, s2, r, lo = _reduce_exp(x.at_most(limit).at_least(-limit))
    if tail is not None:
        r, lo = two_sum(r, lo + (abs(x) < limit).select(tail, 0.0))
    q = fma(k.poly("exp", r), r * r, lo)
    high, low = fast_two_sum(1.0, r)
    p, e = fast_two_sum(high, low + q)
    return p, e, s1, s2


def _exp_of(z: C, tail: F | None = None, reduce: Callable[[F], tuple[I, F, F]] = _reduce) -> C:
    """e^(z + tail), the tail real; the sine and cosine are scaled before they can meet an infinite e^x."""
    x, y = z
    infinite = x.eq(math.inf)
    y = (x.eq(-math.inf) & ~_finite(y)).select(_zero_like(y), y)
    p, _, s1, s2 = _exp_parts(x, tail)
    s1 = infinite.select(math.inf, s1)
    s, c = _sin_and_cos(y, reduce)
    re = (infinite & ~_finite(y)).select(math.inf, p * c * s1 * s2)
    re = y.eq(0.0).select(p * s1 * s2, re)
    return re, y.eq(0.0).select(y, p * s * s1 * s2)


def exp(z: C) -> C:
    """e^z."""
    return _exp_of(z)


@_in_doubles
def exp2(z: C) -> C:
    """2^z = e^(z log 2): the real product as a double word, the imaginary one in quadrants."""
    k = z[0].k
    high, low = k.constant("ln2")[:2]
    x, x_low = two_product(z[0], high)
    return _exp_of((x, z[1]), fma(z[0], low, x_low), reduce_ln2)


def _one_minus_cos(s: F, c: F) -> F:
    """1 - cos from a sine and cosine, no digit lost."""
    positive = c > 0.0
    return positive.select(s * s, 1.0 - c) / positive.select(c + 1.0, 1.0)


def _exp_and_expm1(x: F) -> tuple[F, F, F]:
    """e^x as two factors (the second is not 1 beyond overflow alone) and e^x - 1, which may overflow."""
    p, e, s1, s2 = _exp_parts(x)
    t = s1 * (s2 * 0.5)
    high, low = two_sum(t * p, -0.5)
    m = high + fma(t, e, low)
    return p * s1, s2, m + m


def expm1(z: C) -> C:
    """e^z - 1: (e^x - 1) cos y - (1 - cos y), with the imaginary part of e^z."""
    x, y = z
    k = x.k
    y = (x.eq(-math.inf) & ~_finite(y)).select(_zero_like(y), y)
    first, second, m = _exp_and_expm1(x)
    first = x.eq(math.inf).select(math.inf, first)
    s, c = _sin_and_cos(y)
    large = x > 2.0 * k.mantissa
    re = large.select(first * c * second, large.select(0.0, m) * c - _one_minus_cos(s, c))
    re = (x.eq(math.inf) & ~_finite(y)).select(math.inf, re)
    re = y.eq(0.0).select(large.select(first * second, m), re)
    im = first * s * second
    re = (x.eq(0.0) & y.eq(0.0)).select(x, re)
    return re, y.eq(0.0).select(y, im)


def sigmoid(z: C) -> C:
    """1 / (1 + e^-z), through e^-|x| so that nothing overflows, and 1 + e^-z near its zeros without loss."""
    x, y = z
    a = abs(x)
    y = (a.eq(math.inf) & ~_finite(y)).select(_zero_like(y), y)
    first, second, m = _exp_and_expm1(-(a.at_most(4000.0)))
    e = first * second
    s, c = _sin_and_cos(y)
    plus = _one_minus_cos(s, -c)  # 1 + cos y
    re, im = fma(m, c, plus), e * s  # 1 + e^-|x| e^(iy)
    size = fma(re, re, im * im)
    left = x < 0.0
    top = left.select(e * (plus + m), re)
    return top / size, im / size


# -- hyperbolic and circular
# ---------------------------------------------------------------------------------------------
def _sinh_cosh(x: F) -> tuple[F, F, F, F]:
    """|sinh x|, cosh x and two factors for both, which differ from 1 where e^|x| is large."""
    k = x.k
    a = abs(x)
    big = a > 40.0
    p, e, s1, s2 = _exp_parts(a)
    scale = big.select(1.0, s1) * big.select(1.0, s2) * 0.5
    h, low = p * scale, e * scale
    inverse = big.select(0.0, 0.25 / h)
    z = a.at_most(2.0)
    z = z * z
    small = fma(k.poly("sinh", z) * z, a, a)
    sinh_ = (a < 1.0).select(small, h + (low - inverse))
    factor = a.eq(math.inf).select(math.inf, big.select(s1, 1.0))
    return sinh_, h + (low + inverse), factor, big.select(s2, 1.0)


def _edges(z: C, re: F, im: F, infinity: F) -> C:
    """What sinh and cosh share: an infinite x with a y that has no sine."""
    x, y = z
    re = (abs(x).eq(math.inf) & ~_finite(y)).select(infinity, re)
    return re, im


def sinh(z: C) -> C:
    """sinh x cos y + i cosh x sin y."""
    x, y = z
    size, other, f1, f2 = _sinh_cosh(x)
    s, c = _sin_and_cos(y)
    re = (size * c * f1 * f2).signed_as(_flip(x, c))
    re = x.eq(0.0).select(_flip(x, c), y.eq(0.0).select((size * f1 * f2).signed_as(x), re))
    re, im = _edges(z, re, y.eq(0.0).select(y, other * s * f1 * f2), x)
    return x.is_nan().select(x, re), im


def cosh(z: C) -> C:
    """cosh x cos y + i sinh x sin y."""
    x, y = z
    size, other, f1, f2 = _sinh_cosh(x)
    s, c = _sin_and_cos(y)
    re = y.eq(0.0).select(other * f1 * f2, other * c * f1 * f2)
    im = _flip(size * s * f1 * f2, x)
    im = (x.eq(0.0) | y.eq(0.0)).select(_flip(_zero_like(x), y), im)
    return _edges(z, re, im, abs(x))


def tanh(z: C) -> C:
    """tanh z = (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y): no digit is lost in a sum of squares."""
    x, y = z
    a = abs(x)
    size, other, f1, f2 = _sinh_cosh(a)
    s, c = _sin_and_cos(y)
    big = a > 20.0
    h = size * f1 * f2
    u = big.select(1.0, size)
    d = fma(u, u, c * c)
    re = big.select(1.0, u * (big.select(1.0, other) / d)).signed_as(x)
    im = (s / big.select(h, d)) * (c / big.select(h, 1.0))
    infinite = a.eq(math.inf)
    im = (infinite & ~_finite(y)).select(_zero_like(y), im)
    re = (~infinite & ~_finite(y)).select(y - y, re)
    re = (x.eq(0.0) | x.is_nan()).select(x, re)
    return re, y.eq(0.0).select(y, im)


def cos(z: C) -> C:
    """cosh(iz)."""
    return cosh((-z[1], z[0]))


sin, tan = _turned(sinh), _turned(tanh)


# -- logarithms, roots and powers
# ----------------------------------------------------------------------------------------
def _log_modulus(x: F, y: F, x_minus_1: F) -> F:
    """log |x + iy|; x_minus_1 is |x| - 1, for close to the unit circle all rests on its digits.

    Near the circle |z|^2 - 1 = (a - 1)(a + 1) + b^2 as a double word, a the larger part; elsewhere |z|^2, scaled.
    """
    k = x.k
    ax, ay = abs(x), abs(y)
    swap = ay > ax
    a, b = swap.select(ay, ax), swap.select(ax, ay)
    offset = swap.select(ay - 1.0, x_minus_1)
    near = (a > 0.5) & (a < 2.0) & (b < 1.5)
    scale, shift = k.c(1.0), k.c(0.0)
    if not k.rough:
        large, small = a > 2.0**500, a < 2.0**-400
        scale = large.select(2.0**-600, small.select(2.0**600, 1.0))
        shift = large.select(600.0 * LN2, small.select(-600.0 * LN2, 0.0))
    u, v = near.select(offset, a * scale), b * scale
    # offset + 2 is a + 1, and both parts of it count
    w, w_low = two_sum(u, near.select(2.0, 0.0))
    p, e = two_product(u, w)
    q, f = two_product(v, v)
    s, d = two_sum(p, q)
    low = d + (e + f + u * w_low)
    t, t_low = two_sum(s, near.select(1.0, 0.0))
    usable = (t > 0.0) & (t < math.inf)
    result = fma(log_of_sum(usable.select(t, 1.0), usable.select(t_low + low, 0.0)), 0.5, shift)
    result = a.eq(0.0).select(-math.inf, result)
    result = (x.is_nan() | y.is_nan()).select(x + y, result)
    return (ax.eq(math.inf) | ay.eq(math.inf)).select(math.inf, result)


@_in_doubles
def log(z: C) -> C:
    """The principal logarithm, cut along the negative real axis."""
    x, y = z
    return _log_modulus(x, y, abs(x) - 1.0), atan2(y, x)


def _log_to(base: float) -> Callable[[C], C]:
    """log z / log base."""

    @_in_doubles
    def scaled(z: C) -> C:
        re, im = log(z)
        return re * (1.0 / math.log(base)), im * (1.0 / math.log(base))

    return scaled


log2, log10 = _log_to(2.0), _log_to(10.0)


@_in_doubles
def log1p(z: C) -> C:
    """log(1 + z)."""
    x, y = z
    u = x + 1.0
    offset = (u > 0.0).select(x, -2.0 - x)
    re = _log_modulus(u, y, offset)
    return (x.eq(0.0) & y.eq(0.0)).select(x, re), atan2(y, u)


@_in_doubles
def sqrt(z: C) -> C:
    """The principal square root, cut along the negative real axis."""
    x, y = z
    k = x.k
    u, v, back = x, y, k.c(1.0)
    if not k.rough:
        ax, ay = abs(x), abs(y)
        largest = (ax > ay).select(ax, ay)
        large, small = largest > 2.0**1000, largest < 2.0**-900
        scale = large.select(2.0**-4, small.select(2.0**200, 1.0))
        back = large.select(4.0, small.select(2.0**-100, 1.0))
        u, v = x * scale, y * scale
        m = hypot(u, v)
    else:
        m = abs(u).eq(math.inf).select(math.inf, fma(u, u, v * v).sqrt())
    t = ((m + abs(u)) * 0.5).sqrt()
    other = abs(v) / (t + t)
    other = t.eq(0.0).select(t, other)
    t, other = t * back, other * back
    left = x.as_int() < 0
    re, im = left.select(other, t), left.select(t, other).signed_as(y)
    re = (y.is_nan() & left & x.eq(-math.inf)).select(y, re)
    im = (y.is_nan() & ~x.eq(-math.inf)).select(y, im)
    infinite = abs(y).eq(math.inf)
    return infinite.select(math.inf, re), infinite.select(y, im)


@_in_doubles
def rsqrt(z: C) -> C:
    """1 / sqrt(z)."""
    return reciprocal(sqrt(z))


@_in_doubles
def pow(z: C, w: C) -> C:
    """e^(w log z); 1 where w is 0. The error grows with |w log z|."""
    (x, y), (c, d) = z, w
    re, im = log(z)
    nil = x.eq(0.0) & y.eq(0.0)
    re = nil.select(0.0, re)  # minus infinity would make NaN of 0 * inf
    u, v = _sum_of_products(c, re, -d, im), _sum_of_products(c, im, d, re)
    re, im = exp((u, v))
    re = nil.select((c > 0.0).select(0.0, c.eq(0.0).select(math.nan, math.inf)), re)  # 0 ^ bi has no modulus
    im = nil.select((c > 0.0).select(0.0, math.nan), im)
    re, im = (nil & c.is_nan()).select(c, re), (nil & c.is_nan()).select(c, im)
    flat = c.eq(0.0) & d.eq(0.0)
    return flat.select(1.0, re), flat.select(0.0, im)


# -- inverse circular and hyperbolic
# -------------------------------------------------------------------------------------
def _arc(x: F, y: F) -> tuple[F, F, F]:
    """For x, y >= 0: u, w and v with asin(x + iy) = atan2(u, w) + iv, acos(x + iy) = atan2(w, u) - iv (Hull et al.).

    a = (|z + 1| + |z - 1|)/2; w = sqrt(a^2 - x^2) and v = log(a + sqrt(a^2 - 1)) through a - x and a - 1, which are
    sums of positive terms on either side of x = 1. For a large z the 1 is dropped and the rest scaled.
    """
    k = x.k
    big = x.eq(math.inf) | y.eq(math.inf)
    if not k.rough:
        big = (x > 2.0**500) | (y > 2.0**500)
        scale = big.select(2.0**-440, 1.0)
        x, y = x * scale, y * scale
    one = big.select(0.0, 1.0)
    modulus = hypot if k.wide and not k.rough else (lambda p, q: fma(p, p, q * q).sqrt())
    right, left = x + one, x - one
    r, s = modulus(right, y), modulus(left, y)
    a = (r + s) * 0.5
    p, q = 1.0 / (r + right), 1.0 / (s + abs(left))
    gap = s + abs(left)
    inner, edge = x < one, x <= one
    # w^2 = (a + x)(a - x)
    first = y * p
    w_in = ((a + x) * 0.5 * fma(y, first, gap)).sqrt()
    w_out = y * ((a + x) * 0.5 * (p + q)).sqrt()
    w = edge.select(w_in, w_out)
    # v = log1p(l); a - 1 = y^2 g inside, and has a term of first order outside
    g = (p + q) * 0.5
    l_in = y * fma(y, g, (g * (a + 1.0)).sqrt())
    above = fma(y, first, gap) * 0.5
    l_out = above + (above * (a + 1.0)).sqrt()
    v = _log1p_real(big.select(a + a, inner.select(l_in, l_out)))
    v = big.select(math.inf, v) if k.rough else v + big.select(440.0 * LN2, 0.0)
    return x, big.select(y, w), v


@_in_doubles
def asin(z: C) -> C:
    """The inverse sine, cut along the real axis outside [-1, 1]."""
    x, y = z
    u, w, v = _arc(abs(x), abs(y))
    re = atan2(u, w).signed_as(x)
    return x.eq(0.0).select(x, re), v.signed_as(y)


@_in_doubles
def acos(z: C) -> C:
    """The inverse cosine, cut along the real axis outside [-1, 1]."""
    x, y = z
    u, w, v = _arc(abs(x), abs(y))
    re = atan2(w, u.signed_as(x))
    re = x.eq(0.0).select(x.k.constant("pi_2")[0], re)
    return re, v.signed_as(-y)


@_in_doubles
def acosh(z: C) -> C:
    """The inverse hyperbolic cosine, cut along the real axis below 1: i acos(z) or its negative."""
    re, im = acos(z)
    return abs(im), re.signed_as(z[1])


@_in_doubles
def atanh(z: C) -> C:
    """The inverse hyperbolic tangent, cut along the real axis outside [-1, 1].

    log1p(4x / ((1 - x)^2 + y^2))/4 and half the angle of (1 - x)(1 + x) - y^2 + 2iy, for x >= 0.
    """
    x, y = z
    k = x.k
    u, v = abs(x), abs(y)
    if k.rough:
        big = u.eq(math.inf) | v.eq(math.inf)
        down = unit = k.c(1.0)
        edge: M | None = None
    else:
        big = (u > 2.0**500) | (v > 2.0**500)
        edge = u.eq(1.0) & (v < 2.0**-500)
        down = big.select(2.0**-540, 1.0)
        unit = big.select(0.0, 1.0)
        u, v = u * down, v * down
    d = unit - u
    t = (u * 4.0) / fma(d, d, v * v)
    if edge is not None:
        t = edge.select(2.0**-59 / edge.select(v, 1.0), t * down)
    size = _log1p_real(t)
    re = size * 0.25
    if edge is not None:
        re = edge.select(fma(size, 0.5, 30.0 * LN2), re)
    im = atan2(v + v, fma(-v, v, d * (unit + u))) * 0.5
    far = abs(y).eq(math.inf)
    # A finite y, however large, gives no angle beside a NaN.
    im = (big & (far | ~x.is_nan())).select(k.constant("pi_2")[0], im)
    re = (abs(x).eq(math.inf) | far).select(0.0, re)
    im = y.is_nan().select(y, im)
    return x.eq(0.0).select(x, re.signed_as(x)), im.signed_as(y)


asinh, atan = _turned(asin), _turned(atanh)

REAL_RESULT: dict[str, Callable[[C], F]] = {"abs": absolute, "angle": angle}
FUNCTIONS: dict[str, Callable[..., C]] = {
    "mul": mul, "div": div, "reciprocal": reciprocal, "exp": exp, "exp2": exp2, "expm1": expm1, "sigmoid": sigmoid,
    "log": log, "log2": log2, "log10": log10, "log1p": log1p, "sqrt": sqrt, "rsqrt": rsqrt, "pow": pow,
    "sin": sin, "cos": cos, "tan": tan, "sinh": sinh, "cosh": cosh, "tanh": tanh,
    "asin": asin, "acos": acos, "atan": atan, "asinh": asinh, "acosh": acosh, "atanh": atanh,
}  # fmt: skip
BINARY: frozenset[str] = frozenset({"mul", "div", "pow"})
