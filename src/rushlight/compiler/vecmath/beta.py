"""The beta function, the incomplete beta function with derivatives by its shapes, and inverses, as LLVM IR.

Sources: Abramowitz & Stegun 6.1.41, Stirling's series, 26.5.8 and DLMF 8.17.22, the continued fraction; A. DiDonato &
A. Morris, ACM TOMS 18 (1992) 360, the differences of log Gamma for large arguments.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rushlight.compiler.vecmath.base import F, M, fma
from rushlight.compiler.vecmath.double_words import D, choose, exp_times, in_doubles, log_of, loop
from rushlight.compiler.vecmath.erf_lgamma import digamma, lgamma, lgamma_positive, ndtri
from rushlight.compiler.vecmath.exponential import log1p
from rushlight.compiler.vecmath.gamma import incomplete as incomplete_gamma

LARGE = 8.0
TURNS = 1 << 16  # the fraction needs about 5 sqrt(max(a, b)) terms


def _stirling_tail(a: F) -> F:
    """lgamma(a) - ((a - 1/2) log a - a + log(2 pi)/2) for a >= 8."""
    k = a.k
    inverse = 1.0 / a
    return k.poly("lgamma_tail", inverse * inverse) * inverse


def log_beta(a: F, b: F) -> D:
    """log B(a, b) for a, b > 0, by differences that do not cancel where either is large."""
    k = a.k
    high, low = (a < b).select(b, a), (a < b).select(a, b)
    big, both = high >= LARGE, low >= LARGE
    h, m = big.select(high, LARGE), both.select(low, LARGE)
    # one or both large: log Gamma(h) - log Gamma(h + low) by Stirling's series; log(1 + low/h) in double words
    rest = both.select(m, low)
    total = D.sum(h, rest)
    ratio = D(log1p(rest / h)) if k.rough else log_of(D(rest) / h + 1.0)  # (one double of 1 + rest/h has lost rest)
    tails = _stirling_tail(h) - _stirling_tail(total.hi)
    one = -(ratio * (D(h) - 0.5)) - log_of(total) * rest + rest + tails
    two = (
        -(ratio * (D(h) - 0.5))
        - log_of(D(h) / m + 1.0) * m
        - log_of(m).scaled(0.5)
        + D.constant(k, "log_2pi_2")
        + (tails + _stirling_tail(m))
    )
    # small: the sum's rounding goes by the derivative
    s = big.select(1.0, high)
    t = big.select(1.0, low)
    sum_ = D.sum(s, t)
    small = lgamma_positive(s) + (lgamma_positive(t) - lgamma_positive(sum_.hi))
    if sum_.lo is not None:
        small = small - sum_.lo * digamma(sum_.hi)
    return choose(both, two, choose(big, one + lgamma_positive(low.at_most(LARGE)), small))


def _betaln(a: F, b: F) -> F:
    k = a.k
    inside = (a > 0.0) & (b > 0.0) & (a < 2.0**900) & (b < 2.0**900)
    result = log_beta(inside.select(a, 1.0), inside.select(b, 1.0)).rounded()
    # where an argument is not positive: by log |Gamma| of the three
    return k.where_any(~inside, result, lambda: lgamma(a) + lgamma(b) - lgamma(a + b))


def _beta(a: F, b: F) -> F:
    inside = (a > 0.0) & (b > 0.0) & (a < 2.0**900) & (b < 2.0**900)
    result = exp_times(log_beta(inside.select(a, 1.0), inside.select(b, 1.0)).at_least(-1300.0).at_most(1300.0))
    zero = (a.eq(0.0) & (b > 0.0)) | (b.eq(0.0) & (a > 0.0))
    return inside.select(result, zero.select(math.inf, math.nan))


def _fraction(a: F, b: F, x: F, active: M, by: str) -> list[F]:
    """1/(1 + d1/(1 + d2/(1 + ...))) of DLMF 8.17.22, and its derivative by `by` ("a", "b" or "")."""
    tolerance = 2.0**-30 if a.k.rough else 2.0**-54
    jet = 2 if by else 1

    def advance(older: list[F], newer: list[F], d: F, slope: F | None) -> list[F]:
        out = []
        for i in range(0, 2 * jet, jet):
            out.append(fma(d, older[i], newer[i]))
            if slope is not None:
                out.append(fma(d, older[i + 1], newer[i + 1]) + slope * older[i])
        return out

    def step(n: F, state: list[F]) -> tuple[list[F], Any]:
        older, newer, value, settled = state[: 2 * jet], state[2 * jet : 4 * jet], state[4 * jet], state[4 * jet + 1]
        m = n - 1.0
        for odd in (True, False):
            if odd:
                p, q, r, s = a + m, a + b + m, fma(m, 2.0, a), fma(m, 2.0, a) + 1.0
                d = -(p / r) * (q / s) * x
                log_slope = 1.0 / q if by == "b" else (1.0 / p - 1.0 / r) + (1.0 / q - 1.0 / s)
                slope = d * log_slope if by else None
            else:
                m = n
                r, s = fma(m, 2.0, a) - 1.0, fma(m, 2.0, a)
                d = (m / r) * ((b - m) / s) * x
                slope = None if not by else -d * (1.0 / r + 1.0 / s) if by == "a" else (m / r) * x / s
            older, newer = newer, advance(older, newer, d, slope)
        big = abs(newer[jet]) > 2.0**300
        small = abs(newer[jet]) < 2.0**-300
        scale = big.select(2.0**-300, small.select(2.0**300, 1.0))
        older, newer = [v * scale for v in older], [v * scale for v in newer]
        now = newer[0] / newer[jet]
        close = abs(now - value) <= abs(now) * tolerance
        settled = (close & settled.eq(0.0)).select(n, settled)
        more = settled.eq(0.0) if not by else settled.eq(0.0) | (n < fma(settled, 1.4, 6.0))
        return [*older, *newer, now, settled], more

    # convergents A/B of 1/(1 + d1/(1 + ...)): A_-1 = 0, A_0 = 1; B_-1 = 1, B_0 = 1
    pad = [0.0] * (jet - 1)
    state = loop(active, [0.0, *pad, 1.0, *pad, 1.0, *pad, 1.0, *pad, 0.0, 0.0], step, TURNS)
    newer = state[2 * jet : 4 * jet]
    # not settled: the shapes are too large
    value = (active & state[4 * jet + 1].eq(0.0)).select(math.nan, newer[0] / newer[jet])
    return [value] if not by else [value, (newer[1] - value * newer[jet + 1]) / newer[jet]]


def _incomplete(a: F, b: F, x: F, by: str) -> F:
    """I_x(a, b), or its derivative by a or b: by the continued fraction of the nearer end."""
    inside = (a > 0.0) & (b > 0.0) & (x > 0.0) & (x < 1.0) & (a < math.inf) & (b < math.inf)
    a0, b0, x0 = inside.select(a, 1.0), inside.select(b, 1.0), inside.select(x, 0.5)
    turned = x0 > (a0 + 1.0) / (a0 + b0 + 2.0)
    y0 = 1.0 - x0
    p, q, v = turned.select(b0, a0), turned.select(a0, b0), turned.select(y0, x0)
    log_x, log_y = log_of(x0), log_of(D.sum(-x0, 1.0))
    exponent = (log_x * a0 + log_y * b0 - log_beta(a0, b0)).at_least(-1300.0)
    if not by:
        tail = exp_times(exponent, D(_fraction(p, q, v, inside, "")[0]) / p)
        result = turned.select(1.0 - tail, tail)
        edge = x.eq(0.0).select(0.0, x.eq(1.0).select(1.0, math.nan))
        return inside.select(result, ((a > 0.0) & (b > 0.0)).select(edge, math.nan))
    # two fractions, since "by a" is "by the second shape" where the ends are turned
    first, second = _fraction(p, q, v, inside, "a"), _fraction(p, q, v, inside, "b")
    own = turned if by == "b" else ~turned  # the shape in question is the fraction's first
    slope = own.select(first[1], second[1])
    common = digamma(a0 + b0) - digamma(a0 if by == "a" else b0)
    log_slope = (log_x.hi if by == "a" else log_y.hi) + common - own.select(1.0 / p, 0.0)
    value = exp_times(exponent, D(fma(first[0], log_slope, slope) / p))
    value = turned.select(-value, value)
    return inside.select(value, ((a > 0.0) & (b > 0.0) & (x >= 0.0) & (x <= 1.0)).select(0.0, math.nan))


# -- inverses
# -------------------------------------------------------------------------------------------------------------
def _solve(
    goal: F | float, guess: F, low: F | float, high: F | float, value: Callable[[F], tuple[F, F]], active: M
) -> F:
    """The x in (low, high) with f(x) = goal for an increasing f, by Newton's steps kept inside a shrinking bracket.

    value(x): f(x) and its derivative. A step that leaves the bracket is replaced by bisection.
    """

    def step(n: F, state: list[F]) -> tuple[list[F], Any]:
        x, bottom, top = state
        f, slope = value(x)
        above = f > goal
        bottom, top = above.select(bottom, x), above.select(x, top)
        new = x - (f - goal) / slope
        middle = (bottom > 0.0).select((bottom * top).sqrt(), top * 0.125)
        middle = (top > bottom * 4.0).select(middle, (bottom + top) * 0.5)
        new = f.is_nan().select(f, ((new > bottom) & (new < top)).select(new, middle))
        return [new, bottom, top], (abs(new - x) > abs(new) * 2.0**-51) & (top > bottom)

    return loop(active, [guess, low, high], step, 120)[0]


def _gamma_inverse(a: F, p: F, upper: bool) -> F:
    """The x with P(a, x) = p, or Q(a, x) = p."""
    inside = (a > 0.0) & (a < math.inf) & (p > 0.0) & (p < 1.0)
    s, goal = inside.select(a, 1.0), inside.select(p, 0.5)
    # Wilson & Hilferty's guess, and x^a/Gamma(a + 1) = p where that fails
    z = ndtri(goal) * (-1.0 if upper else 1.0)
    t = 1.0 / (s * 9.0)
    cube = fma(z, t.sqrt(), 1.0 - t)
    lower_tail = (1.0 - goal) if upper else goal
    total = log_of(lower_tail.at_least(2.0**-1074)) + lgamma_positive(s + 1.0)
    beyond = total.hi < s * -1300.0
    low = beyond.select(0.0, exp_times(total / beyond.select(1.0, s)))
    # so near 0 the series' first term is all there is; it may be below every number, and then x is 0
    first = (low < 2.0**-60) & (lower_tail > 0.0)
    start = low.at_least(2.0**-60).at_most(s + 1.0)
    guess = ((cube > 0.3) & (s > 0.5)).select(s * (cube * cube * cube), start)
    log_gamma = lgamma_positive(s)
    tail = goal < 0.5  # where the logarithm is nearly straight, and the function flat

    def value(x: F) -> tuple[F, F]:
        f = incomplete_gamma(s, x, upper, 0)
        density = exp_times((log_of(x) * (s - 1.0) - x - log_gamma).at_least(-1300.0).at_most(1300.0))
        off = tail.select(log_of((f / goal).at_least(2.0**-1000)).hi, f - goal)
        return -off if upper else off, tail.select(density / f, density)

    result = first.select(low, _solve(0.0, guess, 0.0, fma(s, 4.0, 4000.0), value, inside & ~first))
    none, all_ = (1.0, 0.0) if upper else (0.0, 1.0)
    edge = p.eq(none).select(0.0, p.eq(all_).select(math.inf, math.nan))
    return inside.select(result, (a > 0.0).select(edge, math.nan))


def _beta_inverse(a: F, b: F, p: F) -> F:
    """The x with I_x(a, b) = p."""
    inside = (a > 0.0) & (b > 0.0) & (a < math.inf) & (b < math.inf) & (p > 0.0) & (p < 1.0)
    s, t, goal = inside.select(a, 1.0), inside.select(b, 1.0), inside.select(p, 0.5)
    beta_ = log_beta(s, t)
    # x^a / (a B) = p for small x; (1 - x)^b / (b B) = 1 - p near 1
    low = exp_times((log_of(goal) + log_of(s) + beta_) / s)
    high = exp_times((log_of(1.0 - goal.at_most(1.0 - 2.0**-53)) + log_of(t) + beta_) / t)
    mean = s / (s + t)
    guess = (
        (low < mean * 0.5)
        .select(low, (high < (1.0 - mean) * 0.5).select(1.0 - high, mean))
        .at_least(2.0**-1000)
        .at_most(1.0 - 2.0**-53)
    )

    def value(x: F) -> tuple[F, F]:
        x = x.at_most(1.0 - 2.0**-53)
        exponent = log_of(x) * (s - 1.0) + log_of(D.sum(-x, 1.0)) * (t - 1.0) - beta_
        return _incomplete(s, t, x, ""), exp_times(exponent.at_least(-1300.0).at_most(1300.0))

    result = _solve(goal, guess, 0.0, 1.0, value, inside)
    edge = p.eq(0.0).select(0.0, p.eq(1.0).select(1.0, math.nan))
    return inside.select(result, ((a > 0.0) & (b > 0.0)).select(edge, math.nan))


# Functions of two or three arguments and a static parameter, given last: for betainc (the shape differentiated by, the
# order), else 0.
PARAMETRIC: dict[str, Callable[..., F]] = {
    "betaln": in_doubles(lambda a, b, n: _betaln(a, b)),
    "beta": in_doubles(lambda a, b, n: _beta(a, b)),
    "betainc": in_doubles(lambda a, b, x, n: _incomplete(a, b, x, n[0])),
    "betaincinv": in_doubles(lambda a, b, p, n: _beta_inverse(a, b, p)),
    "igammainv": in_doubles(lambda a, p, n: _gamma_inverse(a, p, False)),
    "igammacinv": in_doubles(lambda a, p, n: _gamma_inverse(a, p, True)),
}
