"""Incomplete gamma and zeta functions with their derivatives by the order, and orthogonal polynomials of a degree given
at launch.

These are loops: a lane turns until its own terms have died away, and then stays as it is.
Sources: Abramowitz & Stegun 6.5.29 and 6.5.31, the series and the continued fraction of the incomplete gamma function;
W. Gautschi, ACM TOMS 5 (1979) 466, Q(a, x) for small a and x; Abramowitz & Stegun
23.1.30, Euler-Maclaurin summation; DLMF 18.9.1 and 18.9.2, the recurrences of the polynomials.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.compiler.vecmath.base import F, M, fma, two_sum
from rushlight.compiler.vecmath.bessel import spherical_j
from rushlight.compiler.vecmath.coefficients import COEFFICIENTS
from rushlight.compiler.vecmath.double_words import D, exp_times, in_doubles, log_of, loop, words
from rushlight.compiler.vecmath.erf_lgamma import digamma, erfc, lgamma_positive
from rushlight.compiler.vecmath.exponential import exp, expm1

TURNS = 1 << 20  # at most so many terms; the series needs about 9 sqrt(a) where x is near a
HUGE = 2e5  # shapes from here on are done by the uniform expansion
LARGEST_DEGREE = float(1 << 20)


# -- the incomplete gamma function
# ----------------------------------------------------------------------------------------
def _series(a: F, x: F, active: M, order: int) -> list[F]:
    """S = the sum of x^k / ((a + 1) ... (a + k)), and its first `order` derivatives by a."""
    tolerance = 2.0**-30 if a.k.rough else 2.0**-56

    def step(n: F, state: list[F]) -> tuple[list[F], Any]:
        total, term = state[: order + 1], state[order + 1 :]
        u = 1.0 / (a + n)
        ratio = x * u  # with derivatives -ratio u and 2 ratio u^2
        new = [term[0] * ratio]
        if order > 0:
            new.append((term[1] - term[0] * u) * ratio)
        if order > 1:
            new.append((term[2] - (term[1] - term[0] * u) * u * 2.0) * ratio)
        total = [s + t for s, t in zip(total, new, strict=True)]
        more = abs(new[-1]) > abs(total[-1]) * tolerance
        if order:
            more = more | (abs(new[0]) > total[0] * tolerance)
        return [*total, *new], more

    start = [1.0, *[0.0] * order]
    return loop(active, [*start, *start], step, TURNS)[: order + 1]


def _fraction(a: F, x: F, active: M, order: int) -> list[F]:
    """F = 1/(x + 1 - a - 1 (1 - a)/(x + 3 - a - 2 (2 - a)/(x + 5 - a - ...))), and its first `order` derivatives by
    a.
    """
    tolerance = 2.0**-30 if a.k.rough else 2.0**-53
    jet = order + 1
    width = 2 * jet

    def step(n: F, state: list[F]) -> tuple[list[F], Any]:
        older, newer, value, settled = state[:width], state[width : 2 * width], state[2 * width], state[2 * width + 1]
        numerator, denominator = n * (a - n), (x - a) + fma(n, 2.0, 1.0)  # of derivatives n and -1
        out: list[F] = []
        for i in range(0, width, jet):
            for d in range(jet):
                y = fma(denominator, newer[i + d], numerator * older[i + d])
                if d:
                    y = y + (n * older[i + d - 1] - newer[i + d - 1]) * float(d)
                out.append(y)
        big = abs(out[jet]) > 2.0**400
        shrink = big.select(2.0**-400, 1.0)
        newer = [y * shrink for y in newer]
        out = [y * shrink for y in out]
        now = out[0] / out[jet]
        close = abs(now - value) <= abs(now) * tolerance
        # derivatives settle a little later than the value
        settled = (close & settled.eq(0.0)).select(n, settled)
        more = settled.eq(0.0) if not order else settled.eq(0.0) | (n < fma(settled, 1.4, 12.0))
        return [*newer, *out, now, settled], more

    # convergents A/B: A_-1 = 0, B_-1 = 1 turned over once, so that the first is 1/(x + 1 - a)
    first = (x - a) + 1.0
    older = [0.0] * jet + [1.0, *[0.0] * order]
    newer: list[F | float] = [1.0, *[0.0] * order, first, *[-1.0, 0.0][:order]]
    state = loop(active, [*older, *newer, 1.0 / first, 0.0], step, TURNS)
    p, q = state[width : width + jet], state[width + jet : 2 * width]
    out = [p[0] / q[0]]
    if order > 0:
        out.append((p[1] - out[0] * q[1]) / q[0])
    if order > 1:
        out.append((p[2] - out[1] * q[1] * 2.0 - out[0] * q[2]) / q[0])
    return out


def _trigamma(a: F) -> F:
    """The derivative of digamma for a > 0 (Abramowitz & Stegun 6.4.6, 6.4.12)."""
    k = a.k
    total = k.c(0.0)
    for n in range(8):
        t = 1.0 / (a + float(n))
        total = fma(t, t, total)
    inverse = 1.0 / (a + 8.0)
    z = inverse * inverse
    series = k.horner(z, [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6])
    return total + (inverse + (z * 0.5 + series * z * inverse))


def _uniform(a: F, x: F, upper: bool) -> F:
    """P or Q for a >= HUGE: half of erfc(eta sqrt(a/2)) and a correction (N. Temme, SIAM J. Math. Anal. 10 (1979) 757;
    DLMF 8.12).

    With mu = (x - a)/a, eta^2/2 = mu - log(1 + mu) is a series: where mu is not small, the result is 0 or 1.
    """
    k = a.k
    mu = ((x - a) / a).at_least(-0.12).at_most(0.12)
    eta = mu * k.horner(mu, [2 * (-1) ** n / (n + 2) for n in range(22)]).sqrt()
    y = eta * (a * 0.5).sqrt()
    c = (
        k.horner(eta, [-1 / 3, 1 / 12, -2 / 135, 1 / 864, 1 / 2835, -139 / 777600])
        + k.horner(eta, [-1 / 540, -1 / 288, 25 / 12096]) / a
    )
    square = (y * y).at_most(1300.0)
    rest = exp(-square) * c / (a * (2 * math.pi)).sqrt()
    return erfc(y) * 0.5 + rest if upper else erfc(-y) * 0.5 - rest


def incomplete(a: F, x: F, upper: bool, order: int) -> F:
    """P(a, x) or Q(a, x), or the derivative of that order by a."""
    k = a.k
    inside = (a > 0.0) & (x > 0.0) & (a < math.inf) & (x < math.inf)
    huge = a >= (HUGE if order == 0 else 1e10)
    summed = inside & ~huge
    # beyond, all is said, and the fraction's terms overflow
    s, v = summed.select(a, 1.0), summed.select(x.at_most(2.0**40), 1.0)
    by_fraction = v >= (s < 1.0).select(1.5, s + 1.0)
    logarithm = log_of(v)
    exponent = (logarithm * s - v - lgamma_positive(s)).at_least(-1300.0)  # of x^a e^-x / Gamma(a)
    sums = _series(s, v, ~by_fraction & summed, order)
    parts = _fraction(s, v, by_fraction & summed, order)
    if order == 0:
        p = exp_times(exponent, D(sums[0]) / s)
        q = exp_times(exponent, D(parts[0]))
        if upper:
            result = by_fraction.select(q, (s < 1.0).select(_upper_small(s, v, logarithm), 1.0 - p))
        else:
            result = by_fraction.select(1.0 - q, p)
        far = inside & huge
        result = k.where_any(far, result, lambda: _uniform(far.select(a, HUGE), far.select(x, HUGE), upper))
        at_nothing, at_all = (1.0, 0.0) if upper else (0.0, 1.0)
        edge = a.eq(0.0).select((x > 0.0).select(at_all, math.nan), x.eq(0.0).select(at_nothing, math.nan))
        edge = a.eq(math.inf).select((x < math.inf).select(at_nothing, math.nan), x.eq(math.inf).select(at_all, edge))
        valid = (a >= 0.0) & (x >= 0.0)
        return inside.select(result, valid.select(edge, math.nan))
    # derivatives of x^a e^-x S/Gamma(a + 1), or of -x^a e^-x F/Gamma(a)
    shifted = by_fraction.select(s, s + 1.0)
    slope = logarithm.hi - digamma(shifted)
    value = [by_fraction.select(-f, e) for e, f in zip(sums, parts, strict=True)]
    total = fma(value[0], slope, value[1])
    if order > 1:
        total = fma(value[0], slope * slope - _trigamma(shifted), fma(value[1] * 2.0, slope, value[2]))
    result = exp_times(exponent, D(by_fraction.select(total, total / s)))
    valid = (a > 0.0) & (x >= 0.0)
    result = huge.select(math.nan, result)  # the series would be too long
    return (inside.select(result, valid.select(0.0, math.nan))) * (-1.0 if upper else 1.0)


def _upper_small(a: F, x: F, logarithm: D) -> F:
    """Q(a, x) for 0 < a < 1, 0 < x < 3/2: 1 - x^a / Gamma(1 + a) + a x^a / Gamma(1 + a) (x - x^2/(2 (a + 2)) ...), free
    of cancellation.
    """
    k = a.k
    a, x = a.at_most(1.0), x.at_most(1.5)
    c = COEFFICIENTS["lgamma_232.f64" if k.rough else "lgamma_2.f64"]
    exponent = a * (logarithm.hi - (a - 1.0) * k.horner(a - 0.75, c))
    power, total = k.c(1.0), k.c(0.0)
    terms, factorial = (12 if k.rough else 20), 1.0
    for n in range(1, terms):
        power = power * -x
        factorial *= n
        total = fma(power, 1.0 / ((a + float(n)) * factorial), total)
    grown = expm1(exponent)
    return -grown - (grown + 1.0) * (a * total)


# -- Hurwitz's zeta function
# ---------------------------------------------------------------------------------------------- B_2j / (2j)!, j = 1, 2,
# ...
EULER_MACLAURIN = [1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600,
                   -3617 / 10670622842880000, 43867 / 5109094217170944000, -174611 / 802857662698291200000]  # fmt: skip


@in_doubles
def zeta(s: F, q: F, order: int) -> F:
    """The sum over n >= 0 of (q + n)^-s for s > 1, or its derivative of that order by s, 0 to 2.

    q > 0; for order 0 also q < 0 where s is an integer. Infinite at s = 1 and where q is 0 or a negative integer.
    """
    k = s.k
    whole = k.call("floor", q).eq(q)
    odd = ~k.call("floor", s * 0.5).eq(s * 0.5)
    positive = q > 0.0
    allowed = positive | (~whole & k.call("floor", s).eq(s)) if order == 0 else positive
    inside = (s > 1.0) & allowed & (abs(q) < math.inf) & (s < math.inf)
    u, v = inside.select(s, 2.0), inside.select(q, 1.0)

    def power(base: D) -> tuple[D, D]:
        """base^-s but for a factor of the sign, and log |base|."""
        minus = base.hi < 0.0
        logarithm = log_of(
            D(minus.select(-base.hi, base.hi), None if base.lo is None else minus.select(-base.low, base.low))
        )
        exponent = -(logarithm * u)
        bounded = exponent.hi.at_most(1300.0).at_least(-1300.0)
        size = exp_times(D(bounded, bounded.eq(exponent.hi).select(exponent.low, 0.0)))
        return D((minus & odd).select(-size, size)), logarithm

    def step(n: F, state: list[F]) -> tuple[list[F], Any]:
        total, low, _ = state
        p, logarithm = power(D.sum(v, n - 1.0))
        for _turn in range(order):
            p = p * -logarithm
        total, error = two_sum(total, p.hi)
        return [total, low + error, n], (v + n < shift) & (abs(p.hi) > abs(total) * 2.0**-70)

    shift = fma(u, 1.1, 11.0)  # from here on the terms of the tail fall by 7 each: 2^-57 at the last
    total, low, n = loop(inside & (v < shift), [0.0, 0.0, 0.0], step, TURNS)
    base = D.sum(v, n)
    p, logarithm = power(base)
    a, inverse = base.rounded(), 1.0 / base.rounded()
    rising = [u, k.c(1.0), k.c(0.0)][: order + 1]  # s (s + 1) ... (s + 2j - 2) a^(1 - 2j), and its derivatives
    rising = [r * inverse for r in rising]
    less = 1.0 / (u - 1.0)
    sums = [fma(a, less, 0.5), -(a * less * less), a * less * less * less * 2.0][: order + 1]
    for j, c in enumerate(EULER_MACLAURIN):
        sums = [fma(r, c, t) for r, t in zip(rising, sums, strict=True)]
        for m in (2 * j + 1.0, 2 * j + 2.0):
            factor = (u + m) * inverse
            rising = [r * factor + (rising[i - 1] * inverse * float(i) if i else 0.0) for i, r in enumerate(rising)]
    tail, slope = sums[0], -logarithm.hi
    if order == 1:
        tail = fma(slope, sums[0], sums[1])
    if order == 2:
        tail = fma(slope * slope, sums[0], fma(slope * 2.0, sums[1], sums[2]))
    rest = (abs(p.hi) > abs(total) * 2.0**-70).select(p.hi * tail, 0.0)
    result = total + (rest + low)
    result = (abs(total) < math.inf).select(result, total)
    unfinished = (a < shift) & (abs(p.hi) > abs(total) * 2.0**-70) & n.eq(float(TURNS))  # q is below -2^20
    result = unfinished.select(math.nan, inside.select(result, math.nan))
    if order == 0:
        result = ((s > 1.0) & whole & (q <= 0.0)).select(math.inf, result)
        result = (s.eq(math.inf) & positive).select((q < 1.0).select(math.inf, q.eq(1.0).select(1.0, 0.0)), result)
        result = (q.eq(math.inf) & (s > 1.0)).select(0.0, result)
    return s.eq(1.0).select(q.is_nan().select(q, math.inf if order % 2 == 0 else -math.inf), result)


# -- orthogonal polynomials
# ----------------------------------------------------------------------------------------------- p_1 = first(x) and its
# slope; p_(n+1) = ((a x + b) p_n - c p_(n-1)) / d with (a, b, c, d) of n
Recurrence = tuple[tuple[float, float], Callable[[F], tuple[Any, Any, Any, Any]]]
FAMILIES: dict[str, Recurrence] = {
    "chebyshev_t": ((1.0, 0.0), lambda n: (2.0, None, None, None)),
    "chebyshev_u": ((2.0, 0.0), lambda n: (2.0, None, None, None)),
    "chebyshev_v": ((2.0, -1.0), lambda n: (2.0, None, None, None)),
    "chebyshev_w": ((2.0, 1.0), lambda n: (2.0, None, None, None)),
    "hermite_h": ((2.0, 0.0), lambda n: (2.0, None, n * 2.0, None)),
    "hermite_he": ((1.0, 0.0), lambda n: (1.0, None, n, None)),
    "laguerre_l": ((-1.0, 1.0), lambda n: (-1.0, fma(n, 2.0, 1.0), n, n + 1.0)),
    "legendre_p": ((1.0, 0.0), lambda n: (fma(n, 2.0, 1.0), None, n, n + 1.0)),
}


@in_doubles
def polynomial(x: F, degree: F, param: tuple[str, int]) -> F:
    """The polynomial of a family and a degree (truncated to an integer; 0 below degree 0), or its derivative of some
    order by x.

    The recurrence in double words for the polynomial itself: near its zeros the rounded terms of one in doubles are
    all that is left.
    param: the family's name and the order. A degree above 2^20 gives NaN.
    """
    family, order = param
    k = x.k
    (slope, start), recurrence = FAMILIES[family]
    n = k.call("trunc", degree)
    # The state, of two degrees: plain values of the polynomial and its derivatives, or of the polynomial with its
    # words.
    constant = [1.0, *([0.0] * order or words(D(k.c(1.0))))]
    linear = [x * slope + start, *([slope, *[0.0] * (order - 1)] if order else words(D.product(x, slope) + start))]
    width = len(constant)

    def step(m: F, state: list[F]) -> tuple[Sequence[F], Any]:
        before, at = state[:width], state[width:]
        a, b, c, d = recurrence(m)
        factor = x * a if b is None else fma(x, a, b)
        new = []
        for i in range(order + 1):
            rest = before[i] if c is None else before[i] * c
            y = factor * at[i] - rest if i == 0 else fma(factor, at[i], at[i - 1] * a * float(i) - rest)
            new.append(y if d is None else y / d)
        if order == 0:
            exact, last = D.product(x, a), D(*before[1:])
            exact = (exact if b is None else exact + b) * D(*at[1:]) - (last if c is None else last * c)
            new += words(exact if d is None else exact / d)
        return [*at, *new], m + 1.0 < n

    active = (n > 1.0) & (n <= LARGEST_DEGREE)
    end = loop(active, [*constant, *linear], step, 1 << 20)[width:]
    result = end[order]
    if order == 0:
        exact = D(*end[1:]).rounded()
        result = exact.is_nan().select(result, exact)  # an infinity has no second word
    result = n.eq(0.0).select(0.0 if order else 1.0, result)
    result = (n > LARGEST_DEGREE).select(math.nan, result)
    result = (n < 0.0).select(0.0, result)
    return n.is_nan().select(n, x.is_nan().select(x, result))


def _igamma(upper: bool) -> Callable[[F, F, int], F]:
    return in_doubles(lambda a, x, order: incomplete(a, x, upper, order))


# Functions with a static parameter, given last.
PARAMETRIC: dict[str, Callable[..., F]] = {
    "igamma": _igamma(False),
    "igammac": _igamma(True),
    "polynomial": polynomial,
    "spherical_j": spherical_j,
    "zeta": zeta,
}
