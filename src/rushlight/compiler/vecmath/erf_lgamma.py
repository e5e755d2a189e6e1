"""erf, erfc, erfcx, the normal distribution, their inverses, lgamma and digamma, as LLVM IR.

Sources: M. Shepherd & J. Laframboise, Math. Comp. 36 (1981) 249, erfc by one series in (x - a)/(x + a); M. Giles,
"Approximating the erfinv function", GPU Computing Gems 2 (2011); Abramowitz & Stegun 6.1 and 6.3, the recurrences,
reflections and asymptotic series of the gamma function. The polynomials come from benchmarks/minimax.py and pieces.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from rushlight.compiler.vecmath.base import F, M, fast_two_sum, fma, two_product
from rushlight.compiler.vecmath.coefficients import COEFFICIENTS
from rushlight.compiler.vecmath.double_words import (
    D,
    choose,
    choose_any,
    exp_parts,
    exp_times,
    in_doubles,
    log_of,
    loop,
    pieces,
    words,
)
from rushlight.compiler.vecmath.exponential import exp_near, log
from rushlight.compiler.vecmath.segments import BELOW_FIRST, on_segments, segment
from rushlight.compiler.vecmath.trigonometric import sin_cos

ERFC_CENTRE = 3.0  # the a of (x - a)/(x + a); benchmarks/pieces.py fits for this value


def _erfcx_positive(a: D) -> D:
    """e^(a^2) erfc(a) for a >= 0: P(t)/(1 + 2a)."""
    x = D(a.hi.at_most(2.0**100), a.lo)
    t = (x - ERFC_CENTRE) / (x + ERFC_CENTRE)
    return pieces("erfcx", t.hi, t.lo) / (x.scaled(2.0) + 1.0)


@in_doubles
def erfcx(x: F) -> F:
    """e^(x^2) erfc(x); below 0 it is 2 e^(x^2) - erfcx(-x)."""
    k = x.k
    a = abs(x)
    tail = _erfcx_positive(D(a))
    far = k.c(1 / math.sqrt(math.pi)) / a  # beyond where the fraction's denominator ends
    b = a.at_most(27.5)
    p, s1, s2 = exp_parts(D.product(b, b))
    # the larger factor last: 2^n alone overflows where the difference does not
    below = (p.scaled(2.0) - D(tail.hi, tail.lo) * (1.0 / (s1 * s2))).rounded() * s1 * s2
    return (x < 0.0).select(below, (a < 2.0**60).select(tail.rounded(), x.is_nan().select(x, far)))


def _erfc_positive(a: F) -> D:
    """erfc(a) for a >= 0 but for a factor of two powers of two, which are returned as well."""
    a = a.at_most(28.0)
    p, s1, s2 = exp_parts(-D.product(a, a))
    return D((p * _erfcx_positive(D(a))).rounded() * s1 * s2)


def erf(x: F) -> F:
    """The error function."""
    k = x.k
    a = abs(x)
    if not k.wide:
        a = a.at_most(3.99)  # where it is 1
        return on_segments("erf_segments", a, segment(a.at_least(BELOW_FIRST))).signed_as(x)
    small = fma(a, k.poly("erf_small", a * a), a)
    # 1 - erfc for 1 <= a <= 6: the square need not be exact here
    c = a.at_most(6.0)
    t = (c - ERFC_CENTRE) / (c + ERFC_CENTRE)
    large = 1.0 - exp_near(-(c * c)) * (k.poly("erf_tail", t) / fma(c, 2.0, 1.0))
    return (a < 1.0).select(small, large).signed_as(x)


def erfc(x: F) -> F:
    """The complementary error function."""
    if not x.k.wide:
        return _erfc_of_float(x)
    k = x.k
    a = abs(x)
    tail = _erfc_positive(a).hi
    far = (x < 0.0).select(2.0 - tail, tail)
    high, low = fast_two_sum(1.0, -x)
    near = high + fma(-x, k.poly("erf_small", x * x), low)
    return (a < 0.5).select(near, far)


def _erfc_of_float(x: F) -> F:
    """A series as that for doubles, in doubles to 2^-33: e^(-a^2) P(t)/(a + 3). The one division is that of a vector of
    floats, whose quotient a step of Newton's iteration makes exact enough.
    """
    wide = x.k.rough_doubles()
    near = abs(x).at_most(10.2)  # where it is 0
    start = (1.0 / (near + ERFC_CENTRE)).to(wide)
    a = near.to(wide)
    inverse = fma(fma(-(a + ERFC_CENTRE), start, 1.0), start, start)
    t = fma(inverse, -2.0 * ERFC_CENTRE, 1.0)
    tail = exp_near(-(a * a)) * (wide.poly("erfc_tail", t) * inverse)
    return M(wide, (x < 0.0).v).select(2.0 - tail, tail).to(x.k)


@in_doubles
def ndtr(x: F) -> F:
    """The integral of the normal distribution from minus infinity to x: half of e^(-x^2/2) erfcx(|x|/sqrt 2), or 1 less
    that.
    """
    k = x.k
    a = abs(x).at_most(39.0)
    root = D(k.c(math.sqrt(0.5)), k.c(-4.833646656726457e-17))
    tail = exp_times(-D.product(a, a).scaled(0.5), _erfcx_positive(root * a)) * 0.5
    return (x < 0.0).select(tail, 1.0 - tail)


@in_doubles
def ndtri(p: F) -> F:
    """The inverse of ndtr; NaN outside [0, 1]: a polynomial in (p - 1/2)^2 near 1/2, in sqrt(-2 log p) or (1 - p)
    elsewhere.
    """
    upper = p > 0.5
    tail = upper.select(1.0 - p, p)
    q = p - 0.5
    z = q * q
    near = pieces("ndtri_small", z.at_most(0.09)) * q
    r = (log_of(tail.at_least(2.0**-1074).at_most(0.25)) * -2.0).sqrt()
    far = pieces("ndtri", r.hi, r.lo).rounded()
    result = (abs(q) < 0.3).select(near.rounded(), upper.select(far, -far))
    edge = p.eq(0.0).select(-math.inf, p.eq(1.0).select(math.inf, math.nan))
    return ((p > 0.0) & (p < 1.0)).select(result, edge)


def erfinv(x: F) -> F:
    """The inverse of the error function on [-1, 1], NaN outside: polynomials in x, w = -log(1 - x^2), or sqrt(w)."""
    k = x.k
    a = abs(x)
    inside = a < 1.0
    a = inside.select(a, 0.0)
    if k.wide:
        small = a < 0.5
        w = -log((1.0 - small.select(0.5, a)) * (1.0 + a))
        p = choose(small, pieces("erfinv_small", a * a), pieces("erfinv", w))
        result = (p * a).rounded()
    else:
        s = 1.0 - a
        near = on_segments("erfinv_segments", a, segment(s.at_most(1.0 - 2.0**-24)))
        result = k.where_any(s < 2.0**-8, near, lambda: _erfinv_tail(a.to(k.doubles())).to(k))
    edge = abs(x).eq(1.0).select(k.c(math.inf).signed_as(x), math.nan)
    return inside.select(result.signed_as(x), edge)


def _erfinv_tail(a: F) -> F:
    """erfinv(a) for 1 - 2^-8 < a < 1, in doubles, to the precision of a float: in floats the logarithm's error alone is
    half an ulp of the result.
    """
    k = a.k
    root = (-log(1.0 - a * a)).sqrt()
    return a * k.horner(root - 3.0, COEFFICIENTS["erfinv_tail.f64"])


def _sin_cos_pi(a: F) -> tuple[F, F]:
    """|sin(pi a)|, and cos(pi a) with the sign that makes their quotient cot(pi a), for a >= 0."""
    k = a.k
    f = a - k.call("rint", a)  # exact
    g = abs(f)
    near = g < 0.25
    u = near.select(g, 0.5 - g)
    pi = k.constant("pi")
    r, lo = two_product(u, pi[0])
    s, c = sin_cos(r, fma(u, pi[1], lo))
    return near.select(s, c), near.select(c, s).signed_as(f)


def lgamma_positive(a: F) -> D:
    """log Gamma(a) for a > 0 in double words.

    a >= 8: Stirling's series. Below: log Gamma(2 + d) = d (1 + d) P(d) on -1 <= d <= 1/2, and one logarithm of what the
    recurrence Gamma(x + 1) = x Gamma(x) leaves; no digits are lost near the zeros at 1 and 2.
    """
    k = a.k
    stirling = a >= 8.0

    def down(_: F, state: list[F]) -> tuple[list[F], M]:
        t = state[0] - 1.0
        return [t, *words(D(*state[1:]) * t)], t >= 2.5

    t, *product = loop((a >= 2.5) & ~stirling, [a, *words(D(k.c(1.0), k.c(0.0)))], down, None)
    below = a < 1.0
    d = stirling.select(0.0, below.select(a - 1.0, t - 2.0))
    after = below.select(a, d + 1.0)  # exact: 1 + d would not be for a small argument
    logarithm = log_of(choose(below | stirling, D(a, k.c(0.0)), D(*product)))
    c = COEFFICIENTS["lgamma_232.f64" if k.rough else "lgamma_2.f64"]
    u = d + 0.25
    p = D(*fast_two_sum(c[0], u * k.horner(u, c[1:])))
    near = choose(below, -logarithm, logarithm) + D.product(d, after) * p

    def far() -> D:
        inverse = 1.0 / a
        constant = D.constant(k, "log_2pi_2") - 0.5
        tail = constant + k.poly("lgamma_tail", inverse * inverse) * inverse
        return (logarithm - 1.0) * D.sum(a, -0.5) + tail

    return choose_any(stirling, far, near)


@in_doubles
def lgamma(x: F) -> F:
    """log |Gamma(x)|; infinite at 0 and the negative integers.

    x < 0: Gamma(-a) Gamma(a) = -pi/(a sin(pi a)); near its zeros the error is small in absolute terms only.
    """
    k = x.k
    a = abs(x)
    beyond = ~((a < 2.0**1000) & (a > 0.0))
    main = lgamma_positive(beyond.select(2.0, a)).rounded()

    def end() -> F:  # a log a overflows where the result does, and NaN stays
        return a.eq(0.0).select(math.inf, (a < math.inf).select(a * (log(a) - 1.0), a))

    result = k.where_any(beyond, main, end)

    def mirrored() -> F:
        s, _ = _sin_cos_pi(a)
        return s.eq(0.0).select(math.inf, k.constant("log_pi")[0] - log(s * a) - result)

    reflect = (x < 0.0) & (a > 2.0**-60)  # below that log |Gamma(-a)| = log Gamma(a), and s a would be subnormal
    return k.where_any(reflect & (a < math.inf), result, mirrored)


@in_doubles
def digamma(x: F) -> F:
    """The derivative of log Gamma; minus and plus infinity at +0 and -0, NaN at the negative integers.

    x >= 8: the asymptotic series. Below: (x - root) P(x) on [1, 2], exact at the root to the last digit, and a sum of
    reciprocals as one quotient. x <= -1/2: the reflection psi(-a) = psi(a) + 1/a + pi cot(pi a).
    """
    k = x.k
    reflect = x <= -0.5
    y = reflect.select(-x, x)
    asymptotic = y >= 8.0
    zero, one = D(k.c(0.0), k.c(0.0)), D(k.c(1.0), k.c(0.0))
    up = y < 1.0
    given = D(y, k.c(0.0))
    t, n, d = choose(up, given + 1.0, given), choose(up, -one, zero), choose(up, given, one)
    up = t.hi < 1.0
    t, n, d = choose(up, t + 1.0, t), choose(up, n * t - d, n), choose(up, d * t, d)
    width = len(words(t))

    def down(_: F, state: list[F]) -> tuple[list[F], M]:
        t, n, d = (D(*state[i : i + width]) for i in range(0, 3 * width, width))
        s = t - 1.0
        return [*words(s), *words(n * s + d), *words(d * s)], s.hi >= 2.0

    state = loop((t.hi >= 2.0) & ~asymptotic, [*words(t), *words(n), *words(d)], down, None)
    t, n, d = (D(*state[i : i + width]) for i in range(0, 3 * width, width))
    root = D.constant(k, "digamma_root")
    c = COEFFICIENTS["digamma_1232.f64" if k.rough else "digamma_12.f64"]
    u = asymptotic.select(0.0, t.hi - 1.5)
    p = D(*fast_two_sum(c[0], u * k.horner(u, c[1:])))
    near = (t - root) * p + n / d

    def far() -> D:
        inverse = 1.0 / y
        z = inverse * inverse
        logarithm = log_of(choose(asymptotic & (y < math.inf), given, one))
        return logarithm - fma(k.poly("digamma_tail", z), z, inverse * 0.5)

    result = choose_any(asymptotic, far, near).rounded()

    def edges() -> F:
        end = y.eq(0.0).select(-k.c(math.inf).signed_as(x), (abs(y) < 2.0**-1000).select(-1.0 / y, result))
        return y.eq(math.inf).select(y, end)

    result = k.where_any(~((abs(y) >= 2.0**-1000) & (y < math.inf)), result, edges)

    def mirrored() -> F:
        s, c = _sin_cos_pi(reflect.select(y, 0.5))
        value = result + (1.0 / y + k.constant("pi")[0] * (c / s))
        return (s > 0.0).select(value, math.nan)  # a pole, or minus infinity

    return k.where_any(reflect, result, mirrored)


FUNCTIONS: dict[str, Callable[..., F]] = {
    "erf": erf, "erfc": erfc, "erfcx": erfcx, "erfinv": erfinv, "ndtr": ndtr, "ndtri": ndtri, "lgamma": lgamma,
    "digamma": digamma,
}  # fmt: skip
