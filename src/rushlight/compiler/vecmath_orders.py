"""Bessel functions of real order and positive argument, as LLVM IR: J, Y, I and K, the modified ones also scaled.

The method of N. Temme, J. Comput. Phys. 19 (1975) 324 and 21 (1976) 343, and of J. Campbell, Comput. Phys. Commun. 18 (1979)
133 and 21 (1980) 97. With nu = n + mu, |mu| <= 1/2: a continued fraction gives the logarithmic derivative of J or I at nu; the
recurrence downwards brings it to mu; there Temme's series (x < 2), a second continued fraction (J and Y, x >= 2) or an integral (K, x >= 2)
gives Y or K; the Wronskian gives J or I; the recurrence upwards brings Y or K back to nu.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .vecmath_base import F, M, fma
from .vecmath_double import in_doubles, loop
from .vecmath_exp import exp, log, log1p, sinh
from .vecmath_trig import sin

TURNS = 1 << 18
TINY = 2.0**-900
NODES = 36


def _gammas(mu: F) -> tuple[F, F, F, F]:
    """Temme's gamma_1 and gamma_2, 1/Gamma(1 + mu) and 1/Gamma(1 - mu), |mu| <= 1/2.

    gamma_1 = (1/Gamma(1 - mu) - 1/Gamma(1 + mu)) / (2 mu), gamma_2 their mean: the odd and even parts of 1/Gamma(1 - mu),
    by the coefficients of 1/Gamma (A&S 6.1.34).
    """
    k = mu.k
    odd, even = RECIPROCAL_GAMMA[1::2], RECIPROCAL_GAMMA[0::2]
    z = mu * mu
    # 1/Gamma(1 + mu) = sum of c_n mu^n: gamma_2 the even part, -gamma_1 mu the odd one
    gamma_1, gamma_2 = -k.horner(z, odd), k.horner(z, even)
    return gamma_1, gamma_2, gamma_2 - mu * gamma_1, gamma_2 + mu * gamma_1


def _reciprocal_gamma(count: int) -> list[float]:
    """The coefficients of 1/Gamma(1 + x) in powers of x, by the recurrence of A&S 6.1.34's derivation.

    log(1/Gamma(1 + x)) = gamma x - sum over n >= 2 of (-1)^n zeta(n) x^n / n; with d_n the coefficients of its derivative,
    n c_n = sum of d_m c_(n-1-m).
    """
    euler = 0.5772156649015328606
    zetas = [0.0, 0.0] + [_zeta(n) for n in range(2, count + 1)]
    slope = [euler] + [-((-1) ** n) * zetas[n] for n in range(2, count + 1)]
    c = [1.0]
    for n in range(1, count):
        c.append(math.fsum(slope[m] * c[n - 1 - m] for m in range(n)) / n)
    return c


def _zeta(n: int) -> float:
    """Riemann's zeta at an integer: 40 terms and the Euler-Maclaurin tail."""
    a = 40.0
    tail, rising = [a ** (1 - n) / (n - 1), a**-n / 2], n * a ** (-n - 1)
    for j, c in enumerate((12, -720, 30240, -1209600)):
        tail.append(rising / c)
        rising *= (n + 2 * j + 1) * (n + 2 * j + 2) / a**2
    return math.fsum([*(k ** -float(n) for k in range(1, 40)), *tail])


RECIPROCAL_GAMMA = _reciprocal_gamma(28)


def _split(nu: F) -> tuple[F, F]:
    """nu = n + mu with |mu| <= 1/2."""
    n = nu.k.call("floor", nu + 0.5)
    return n, nu - n


def _ratio(nu: F, x: F, active: M, sign: float) -> tuple[F, F]:
    """J'/J (sign -1) or I'/I (sign 1) at nu, and the sign of J, by Lentz's method."""
    k = x.k
    inverse2 = 2.0 / x
    one = k.c(1.0)

    def guarded(v: F) -> F:
        return (abs(v) < TINY).select(k.c(TINY), v)

    def step(n: F, state: list[F]) -> tuple[list[F], Any]:
        h, c, d, s = state
        b = (nu + n) * inverse2
        d = guarded(fma(d, sign, b))
        c = guarded(b + sign / c)
        d = 1.0 / d
        change = c * d
        return [h * change, c, d, (d < 0.0).select(-s, s)], abs(change - 1.0) > 2.0**-53

    first = guarded(nu / x)
    h, _, _, s = loop(active, [first, first, k.c(0.0), one], step, TURNS)
    return h, s


def _down(nu: F, n: F, x: F, value: F, slope: F, sign: float, active: M) -> tuple[F, F, F]:
    """J or I and its derivative brought from nu to mu = nu - n, and the factor that both were scaled by to stay in range."""
    inverse = 1.0 / x

    def step(m: F, state: list[F]) -> tuple[list[F], Any]:
        value, slope, scale = state
        factor = (nu - (m - 1.0)) * inverse
        new = fma(factor, value, slope)
        slope = (factor - inverse) * new + value * sign
        big = abs(new) > 2.0**400
        shrink = big.select(value.k.c(2.0**-400), 1.0)
        return [new * shrink, slope * shrink, scale * shrink], m < n

    k = x.k
    value, slope, scale = loop(active & (n > 0.0), [value, slope, k.c(1.0)], step, TURNS)
    return value, slope, scale


def _temme(mu: F, x: F, active: M, sign: float) -> tuple[F, F]:
    """Temme's series for x < 2: the sums g and h with Y = -g, Y_(mu+1) = -2h/x (sign -1), or K = g, K_(mu+1) = 2h/x (sign 1)."""
    k = x.k
    half = x * 0.5
    gamma_1, gamma_2, plus, minus = _gammas(mu)
    angle = mu * math.pi
    factor = (abs(angle) < 1e-8).select(k.c(1.0), angle / (abs(angle) < 1e-8).select(k.c(1.0), sin(angle)))
    d = -log(half)
    e = mu * d
    small = abs(e) < 1e-8
    ratio = small.select(k.c(1.0), sinh(e) / small.select(k.c(1.0), e))
    grown = exp(e)
    cosh_e = (grown + 1.0 / grown) * 0.5
    if sign > 0:
        f = factor * fma(gamma_1, cosh_e, gamma_2 * ratio * d)
        p, q = grown / plus * 0.5, 0.5 / (grown * minus)
        extra = k.c(0.0)
    else:
        f = factor * fma(gamma_1, cosh_e, gamma_2 * ratio * d) * (2 / math.pi)
        p, q = grown / (plus * math.pi), 1.0 / (grown * minus * math.pi)
        quarter = angle * 0.5
        tiny = abs(quarter) < 1e-8
        shape = tiny.select(k.c(1.0), sin(quarter) / tiny.select(k.c(1.0), quarter))
        extra = quarter * math.pi * shape * shape
    square = half * half * sign

    def step(n: F, state: list[F]) -> tuple[list[F], Any]:
        f, p, q, c, g, h = state
        f = fma(n, f, p + q) / fma(n, n, -(mu * mu))
        c = c * square / n
        p, q = p / (n - mu), q / (n + mu)
        term = c * (f if sign > 0 else f + extra * q)
        return [f, p, q, c, g + term, h + (c * p - n * (c * f) if sign > 0 else c * p - n * term)], abs(term) > abs(g) * 2.0**-56

    _, _, _, _, g, h = loop(active, [f, p, q, k.c(1.0), f if sign > 0 else f + extra * q, p], step, 500)
    return g, h


Pair = tuple[F, F]


def _times(z: Pair, w: Pair) -> Pair:
    return fma(z[0], w[0], -(z[1] * w[1])), fma(z[0], w[1], z[1] * w[0])


def _inverse(z: Pair, numerator: F | float = 1.0) -> Pair:
    size = numerator / fma(z[0], z[0], z[1] * z[1])
    return z[0] * size, -(z[1] * size)


def _outgoing(mu: F, x: F, active: M) -> Pair:
    """The logarithmic derivative of J + iY at mu, x >= 2 (DLMF 10.33 turned by the Hankel functions' asymptotic form):

    -1/(2x) + i + (i/x) a_1/(b_1 + a_2/(b_2 + ...)), a_n = (n - 1/2)^2 - mu^2, b_n = 2 (x + i n), by Lentz's method.
    """
    k = x.k
    zero, small = k.c(0.0), k.c(1e-30)
    twice = x * 2.0

    def step(n: F, state: list[F]) -> tuple[list[F], Any]:
        value, c, d = (state[0], state[1]), (state[2], state[3]), (state[4], state[5])
        m = n - 0.5
        a = fma(m, m, -(mu * mu))
        d = _inverse((fma(a, d[0], twice), fma(a, d[1], n * 2.0)))
        back = _inverse(c, a)
        c = (twice + back[0], fma(n, 2.0, back[1]))
        change = _times(c, d)
        return [*_times(value, change), *c, *d], abs(change[0] - 1.0) + abs(change[1]) > 2.0**-52

    state = loop(active, [small, zero, small, zero, zero, zero], step, TURNS)
    return -(state[1] + 0.5) / x, 1.0 + state[0] / x


def _bessel(nu: F, x: F, second: bool) -> F:
    """J or Y of an order nu >= 0 at x > 0."""
    k = x.k
    inside = (nu >= 0.0) & (x > 0.0) & (x < 1e5) & (nu < 1e5)
    order, v = inside.select(nu, 0.0), inside.select(x, 1.0)
    # below the turning point the recurrence runs to mu, above it to just below x
    series = v < 2.0
    n = k.call("floor", order + 0.5)
    above = k.call("floor", order - v + 1.5).at_least(0.0)
    n = series.select(n, above)
    mu = order - n
    ratio, sign = _ratio(order, v, inside, -1.0)
    seed = sign * 2.0**-900
    value, slope, scale = _down(order, n, v, seed, ratio * seed, -1.0, inside)
    value = value.eq(0.0).select(k.c(2.0**-960), value)
    f = slope / value
    wronskian = 2.0 / (v * math.pi)
    mu_series = series.select(mu, 0.0)
    g, h = _temme(mu_series, series.select(v, 1.0), inside & series, -1.0)
    y_small, y_next = -g, -h * 2.0 / v
    dy_small = mu * y_small / v - y_next
    j_small = wronskian / (dy_small - f * y_small)
    p, q = _outgoing(mu, series.select(k.c(2.0), v), inside & ~series)
    gamma = (p - f) / q
    j_large = (wronskian / (fma(p - f, gamma, q))).sqrt()
    j_large = (value < 0.0).select(-j_large, j_large)
    y_large = j_large * gamma
    dy_large = (gamma.eq(0.0)).select(q * j_large, y_large * (p + q / gamma.eq(0.0).select(k.c(1.0), gamma)))
    j = series.select(j_small, j_large)
    if not second:
        result = j * (seed * scale / value)
    else:
        y, dy = series.select(y_small, y_large), series.select(dy_small, dy_large)
        following = mu * y / v - dy

        def step(m: F, state: list[F]) -> tuple[list[F], Any]:
            before, at = state
            return [at, (mu + m) * (2.0 / v) * at - before], m < n

        result = loop(inside & (n > 0.0), [y, following], step, TURNS)[0]
    edge = k.nan()
    at_zero = -k.inf() if second else nu.eq(0.0).select(k.c(1.0), 0.0)
    edge = (x.eq(0.0) & (nu >= 0.0)).select(at_zero, edge)
    edge = (x.eq(k.inf()) & (nu >= 0.0)).select(k.c(0.0), edge)
    return inside.select(result, edge)


def _modified(nu: F, x: F, second: bool, scaled: bool) -> F:
    """I or K of an order nu >= 0 at x > 0, times e^-x or e^x where scaled."""
    k = x.k
    inside = (nu >= 0.0) & (x > 0.0) & (x < 1e6) & (nu < 1e5)
    order, v = inside.select(nu, 0.0), inside.select(x, 1.0)
    n, mu = _split(order)
    series = v < 2.0
    g, h = _temme(mu, series.select(v, 1.0), inside & series, 1.0)
    grown = exp(series.select(v, 0.0))
    k_small, next_small = g * grown, h * 2.0 / v * grown
    # the integral of e^(-x (cosh t - 1)) cosh(nu t) over t > 0 (A&S 9.6.24), to where it is 2^-58 of its largest value, by the
    # trapezoidal rule, whose error falls exponentially with the number of nodes
    w = series.select(k.c(2.0), v)
    reach = 40.0 / w
    end = log1p(reach + (reach * (reach + 2.0)).sqrt())
    width = end * (1 / NODES)
    zero, one = k.c(0.0), k.c(1.0)

    def node(m: F, state: list[F]) -> tuple[list[F], Any]:
        t = m * width
        hyperbolic = sinh(t * 0.5)
        density = exp(w * -2.0 * hyperbolic * hyperbolic)
        grow, more = exp(mu * t), exp(t)
        first = (grow + 1.0 / grow) * 0.5
        second_ = fma(grow, more, 1.0 / (grow * more)) * 0.5
        return [fma(density, first, state[0]), fma(density, second_, state[1])], m < float(NODES)

    total = loop(inside & ~series, [k.c(0.5), k.c(0.5)], node, NODES)
    k_large, next_large = total[0] * width, total[1] * width
    at, following = series.select(k_small, k_large), series.select(next_small, next_large)  # both times e^x
    if second:
        def up(m: F, state: list[F]) -> tuple[list[F], Any]:
            before, now = state
            return [now, fma((mu + m) * (2.0 / v), now, before)], m < n

        value = loop(inside & (n > 0.0), [at, following], up, TURNS)[0]
        result = value if scaled else value * exp(-v)
        edge = (x.eq(0.0) & (nu >= 0.0)).select(k.inf(), (x.eq(k.inf()) & (nu >= 0.0)).select(zero, k.nan()))
        return inside.select(result, edge)
    ratio, _ = _ratio(order, v, inside, 1.0)
    seed = k.c(2.0**-900)
    value, slope, scale = _down(order, n, v, seed, ratio * seed, 1.0, inside)
    dk = mu * at / v - following
    i_mu = 1.0 / (v * (slope / value * at - dk))  # times e^-x
    result = i_mu * (seed * scale / value)
    result = result if scaled else _grown(result, v)
    edge = (x.eq(0.0) & (nu >= 0.0)).select(nu.eq(0.0).select(one, zero), (x.eq(k.inf()) & (nu >= 0.0)).select(zero if scaled else k.inf(), k.nan()))
    return inside.select(result, edge)


def _grown(y: F, x: F) -> F:
    """y e^x in two factors, which overflows where the product does."""
    half = exp(x * 0.5)
    return y * half * half


def _of(function: Callable[..., F], *flags: bool) -> Callable[..., F]:
    return lambda nu, x, n: in_doubles(lambda p, v: function(p, v, *flags), nu, x)


PARAMETRIC: dict[str, Callable[..., F]] = {
    "jv": _of(_bessel, False), "yv": _of(_bessel, True), "iv": _of(_modified, False, False), "kv": _of(_modified, True, False),
    "ive": _of(_modified, False, True), "kve": _of(_modified, True, True),
}
