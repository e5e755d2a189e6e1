"""Bessel functions of real order and positive argument, and their derivatives by the order, as LLVM IR: J, Y, I and K,
the modified ones also scaled.

The method of N. Temme, J. Comput. Phys. 19 (1975) 324 and 21 (1976) 343, and of J. Campbell, Comput. Phys. Commun. 18
(1979) 133 and 21 (1980) 97. With nu = n + mu, |mu| <= 1/2: a continued fraction gives the ratio of J or I at nu + 1 and
nu; the recurrence downwards brings it to mu; there Temme's series (x < 2), a second continued fraction (J and Y, x >=
2) or an integral (K, x >= 2) gives Y or K; the Wronskian gives J or I; the recurrence upwards brings Y or K back to nu.

Derivatives by the order: the same with jets (jets.py) in nu and mu, n being constant; the fractions go on a little
for them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rushlight.compiler.vecmath.base import F, M, fma
from rushlight.compiler.vecmath.double_words import in_doubles
from rushlight.compiler.vecmath.exponential import exp, log, log1p, sinh
from rushlight.compiler.vecmath.jets import Number, Numbers, exponential, madd, pick, plain, polynomial, root, turns

TURNS = 1 << 18
NODES = 36


# (1 - cos)-free forms of sin x / x and sinh x / x: their series in x^2, for |x| <= pi/2 and |x| <= 1
SINE = [(-1) ** n / math.factorial(2 * n + 1) for n in range(13)]
HYPERBOLIC_SINE = [1 / math.factorial(2 * n + 1) for n in range(10)]


def _gammas(mu: Number) -> tuple[Number, Number, Number, Number]:
    """Temme's gamma_1 and gamma_2, 1/Gamma(1 + mu) and 1/Gamma(1 - mu), |mu| <= 1/2.

    gamma_1 = (1/Gamma(1 - mu) - 1/Gamma(1 + mu)) / (2 mu), gamma_2 their mean: the odd and even parts of 1/Gamma(1 -
    mu), by the coefficients of 1/Gamma (A&S 6.1.34).
    """
    odd, even = RECIPROCAL_GAMMA[1::2], RECIPROCAL_GAMMA[0::2]
    z = mu * mu
    # 1/Gamma(1 + mu) = sum of c_n mu^n: gamma_2 the even part, -gamma_1 mu the odd one
    gamma_1, gamma_2 = -polynomial(z, odd), polynomial(z, even)
    return gamma_1, gamma_2, gamma_2 - mu * gamma_1, gamma_2 + mu * gamma_1


def _reciprocal_gamma(count: int) -> list[float]:
    """The coefficients of 1/Gamma(1 + x) in powers of x, by the recurrence of A&S 6.1.34's derivation.

    log(1/Gamma(1 + x)) = gamma x - sum over n >= 2 of (-1)^n zeta(n) x^n / n; with d_n the coefficients of its
    derivative, n c_n = sum of d_m c_(n-1-m).
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


def _lengthened(n: F, close: M, settled: F, *values: Number) -> tuple[F, M]:
    """When a fraction has reached its value, and whether to go on: derivatives settle a little later."""
    if not any(isinstance(v, Numbers) for v in values):
        return settled, ~close
    settled = (close & settled.eq(0.0)).select(n, settled)
    return settled, settled.eq(0.0) | (n < fma(settled, 1.4, 12.0))


def _pair(nu: Number, x: F, active: M, sign: float) -> tuple[Number, Number]:
    """J (sign -1) or I (sign 1) of nu and nu + 1 but for a common positive factor that is constant: the last convergent
    of b_1 + sign/(b_2 + sign/(b_3 + ...)), b_n = 2 (nu + n)/x (DLMF 10.10.1, 10.33.1).

    Numerators and denominators, not their quotients, since the derivatives of these lose digits near a zero.
    """
    inverse2 = 2.0 / x

    def step(n: F, state: list[Any]) -> tuple[list[Number], Any]:
        top0, below0, top, below, settled = state
        b = (nu + (n + 1.0)) * inverse2
        size = plain(b)
        t = (size > 4.0).select(1.0 / size, 1.0)  # keeps the numbers in range where b is huge
        b = b * t
        new_top, new_below = b * top + top0 * (t * sign), b * below + below0 * (t * sign)
        shrink = ((abs(plain(new_top)) > 2.0**400) | (abs(plain(new_below)) > 2.0**400)).select(2.0**-400, 1.0)
        top, below, new_top, new_below = top * (t * shrink), below * (t * shrink), new_top * shrink, new_below * shrink
        difference = fma(plain(new_top), plain(below), -(plain(top) * plain(new_below)))
        close = abs(difference) <= (abs(plain(new_top)) + abs(plain(new_below))) * abs(plain(below)) * 2.0**-55
        settled, more = _lengthened(n, close, settled, nu)
        return [top, below, new_top, new_below, settled], more

    first = (nu + 1.0) * inverse2
    t = (plain(first) > 4.0).select(1.0 / plain(first), 1.0)
    nothing = first * 0.0
    _, _, top, below, _ = turns(active, [nothing + t, nothing, first * t, nothing + t, 0.0], step, TURNS)
    scale = 1.0 / (abs(plain(top)) + abs(plain(below)))
    return top * scale * 2.0**-900, below * scale * 2.0**-900


def _down(nu: Number, n: F, x: F, at: Number, above: Number, sign: float, active: M) -> tuple[Number, Number, F]:
    """J or I of nu and nu + 1 brought to those of mu = nu - n and mu + 1, and the factor that both were scaled by to
    stay in range.
    """
    twice = 2.0 / x
    rest = fma(-twice, x, 2.0) / x  # what rounding took from it: the same in every step, so that all of them add up

    def step(m: F, state: list[Any]) -> tuple[list[Number], Any]:
        at, above, scale = state
        order = nu - (m - 1.0)
        factor, last = order * twice, above * sign
        if isinstance(order, F) and isinstance(factor, F) and not x.k.rough:
            last = madd(fma(order, rest, fma(order, twice, -factor)), at, last)
        new = madd(factor, at, last)
        shrink = (abs(plain(new)) > 2.0**400).select(2.0**-400, 1.0)
        return [new * shrink, at * shrink, scale * shrink], m < n

    at, above, scale = turns(active & (n > 0.0), [at, above, 1.0], step, TURNS)
    return at, above, scale


def _temme(mu: Number, x: F, active: M, sign: float) -> tuple[Number, Number]:
    """Temme's series for x < 2: the sums g and h with Y = -g, Y_(mu+1) = -2h/x (sign -1), or K = g, K_(mu+1) = 2h/x
    (sign 1).
    """
    half = x * 0.5
    gamma_1, gamma_2, plus, minus = _gammas(mu)
    angle = mu * math.pi
    factor = 1.0 / polynomial(angle * angle, SINE)
    d = -log(half)
    e = mu * d
    grown = exponential(e)
    small = abs(plain(e)) < 1.0
    near = pick(small, e, 0.0)
    ratio = pick(small, polynomial(near * near, HYPERBOLIC_SINE), (grown - 1.0 / grown) * 0.5 / pick(small, 1.0, e))
    cosh_e = (grown + 1.0 / grown) * 0.5
    if sign > 0:
        f = factor * madd(gamma_1, cosh_e, gamma_2 * ratio * d)
        p, q = grown / plus * 0.5, 0.5 / (grown * minus)
        extra = mu * 0.0
    else:
        f = factor * madd(gamma_1, cosh_e, gamma_2 * ratio * d) * (2 / math.pi)
        p, q = grown / (plus * math.pi), 1.0 / (grown * minus * math.pi)
        quarter = angle * 0.5
        shape = polynomial(quarter * quarter, SINE)
        extra = quarter * math.pi * shape * shape
    square = half * half * sign

    def step(n: F, state: list[Any]) -> tuple[list[Number], Any]:
        f, p, q, c, g, h = state
        f = madd(f, n, p + q) / (-(mu * mu) + n * n)
        c = c * square / n
        p, q = p / (-mu + n), q / (mu + n)
        term = (f if sign > 0 else f + extra * q) * c
        more = abs(plain(term)) > abs(plain(g)) * 2.0**-56
        if isinstance(mu, Numbers):
            more = more | (abs(term.top) > abs(plain(g)) * 2.0**-90)
        return [f, p, q, c, g + term, h + (p * c - f * c * n if sign > 0 else p * c - term * n)], more

    _, _, _, _, g, h = turns(active, [f, p, q, 1.0, f if sign > 0 else f + extra * q, p], step, 500)
    return g, h


Pair = tuple[Any, Any]


def _times(z: Pair, w: Pair) -> Pair:
    return madd(z[0], w[0], -(z[1] * w[1])), madd(z[0], w[1], z[1] * w[0])


def _inverse(z: Pair, numerator: Number | float = 1.0) -> Pair:
    size = numerator / madd(z[0], z[0], z[1] * z[1])
    return z[0] * size, -(z[1] * size)


def _outgoing(mu: Number, x: F, active: M) -> Pair:
    """The logarithmic derivative of J + iY at mu, x >= 2 (DLMF 10.33 turned by the Hankel functions' asymptotic form):

    -1/(2x) + i + (i/x) a_1/(b_1 + a_2/(b_2 + ...)), a_n = (n - 1/2)^2 - mu^2, b_n = 2 (x + i n), by Lentz's method.
    """
    zero = mu * 0.0
    twice = x * 2.0

    def numerator(m: F | float) -> Number:
        return -(mu * mu) + m * m

    def step(n: F, state: list[Any]) -> tuple[list[Number], Any]:
        value, c, d = (state[0], state[1]), (state[2], state[3]), (state[4], state[5])
        a, imaginary = numerator(n + 0.5), fma(n, 2.0, 2.0)
        d = _inverse((madd(a, d[0], twice), madd(a, d[1], imaginary)))
        back = _inverse(c, a)
        c = (back[0] + twice, back[1] + imaginary)
        change = _times(c, d)
        close = abs(plain(change[0]) - 1.0) + abs(plain(change[1])) <= 2.0**-52
        for part in change:  # the value alone ends at once where mu is half an odd number
            for slope in part.size()[1:] if isinstance(part, Numbers) else []:
                close = close & (slope < 2.0**-44)
        settled, more = _lengthened(n, close, state[6], mu)
        return [*_times(value, change), *c, *d, settled], more

    first = (zero + twice, zero + 2.0)
    state = turns(active, [*first, *first, zero, zero, 0.0], step, TURNS)
    real, imaginary = _inverse((state[0], state[1]), numerator(0.5))
    return -(imaginary + 0.5) / x, real / x + 1.0


TINY = 2.0**-300


def _from_tiny(order: Number, x: F) -> Number:
    """(x / TINY)^nu for x < TINY, else 1: J and I are in proportion to x^nu there."""
    return exponential(order * log((x < TINY).select(x, TINY) * (1 / TINY)))


def _order(nu: F, by: int) -> Number:
    """The order, and that it is what is differentiated by, `by` times."""
    return Numbers(nu, {1 << i: nu.k.c(1.0) for i in range(by)}) if by else nu


def _result(y: Number) -> F:
    return y.top if isinstance(y, Numbers) else y


def _in_range(nu: F, x: F, largest: float, second: bool, by: int) -> tuple[M, F, Number, Number]:
    """Where nu >= 0 and 0 < x < largest; x there, the order there, and the factor that a tiny x leaves."""
    inside = (nu >= 0.0) & (x > 0.0) & (x < largest) & (nu < 1e5)
    v = inside.select(x, 1.0)
    order = _order(inside.select(nu, 0.0), by)
    far = _from_tiny(order, v)
    return inside, v if second else v.at_least(TINY), order, far


def _bessel(nu: F, x: F, second: bool, by: int) -> F:
    """J or Y of an order nu >= 0 at x > 0, or the derivative `by` times by the order."""
    k = x.k
    inside, v, order, far = _in_range(nu, x, 1e5, second, by)
    # below the turning point the recurrence runs to mu, above it to just below x
    series = v < 2.0
    n = k.call("floor", plain(order) + 0.5)
    above = k.call("floor", plain(order) - v + 1.5).at_least(0.0)
    n = series.select(n, above)
    mu = order - n
    start, after = _pair(order, v, inside, -1.0)
    at, behind, scale = _down(order, n, v, start, after, -1.0, inside)
    wronskian = 2.0 / (v * math.pi)
    mu_series = pick(series, mu, 0.0)
    g, h = _temme(mu_series, series.select(v, 1.0), inside & series, -1.0)
    y_small, y_next = -g, -h * 2.0 / v
    p, q = _outgoing(pick(series, 0.0, mu), series.select(2.0, v), inside & ~series)
    # J and Y at mu are sqrt(2/(pi x q)) times the cosine and the sine of an angle, whose cotangent is q/(p - J'/J)
    across, along = (p - mu / v) * at + behind, q * at
    size = 1.0 / (abs(plain(across)) + abs(plain(along)))
    across, along = across * size, along * size
    modulus = root(1.0 / ((across * across + along * along) * q) * wronskian)
    if not second:
        # over J_mu: J_(mu+1) Y_mu - J_mu Y_(mu+1) = 2/(pi x)
        small = 1.0 / (behind * y_small - at * y_next) * wronskian
        result = pick(series, small, modulus * q * size) * (start * scale) * far
    else:
        y_large = modulus * across
        next_large = mu / v * y_large - modulus * (p * across + q * along)
        y, following = pick(series, y_small, y_large), pick(series, y_next, next_large)

        def step(m: F, state: list[Any]) -> tuple[list[Number], Any]:
            before, at = state
            return [at, (mu + m) * (2.0 / v) * at - before], m < n

        result = turns(inside & (n > 0.0), [y, following], step, TURNS)[0]
        lost = result.top if by else plain(result)
        # infinity less infinity: it has overflowed
        result = (lost.is_nan() & (plain(order) > v)).select(-math.inf, lost)
    first = nu.eq(0.0)
    if not by:
        at_zero = -math.inf if second else first.select(1.0, 0.0)
    elif by == 1:
        at_zero = first.select(-math.pi / 2 if second else -math.inf, -math.inf if second else 0.0)
    else:
        at_zero = -math.inf if second else first.select(math.inf, 0.0)
    edge = (x.eq(0.0) & (nu >= 0.0)).select(at_zero, math.nan)
    edge = (x.eq(math.inf) & (nu >= 0.0)).select(0.0, edge)
    return inside.select(_result(result), edge)


def _modified(nu: F, x: F, second: bool, scaled: bool, by: int) -> F:
    """I or K of an order nu >= 0 at x > 0, times e^-x or e^x where scaled, or the derivative `by` times by the
    order.
    """
    k = x.k
    inside, v, order, far = _in_range(nu, x, 1e6, second, by)
    n = k.call("floor", plain(order) + 0.5)
    mu = order - n
    series = v < 2.0
    g, h = _temme(mu, series.select(v, 1.0), inside & series, 1.0)
    grown = exp(series.select(v, 0.0))
    k_small, next_small = g * grown, h * 2.0 / v * grown
    # the integral of e^(-x (cosh t - 1)) cosh(nu t) over t > 0 (A&S 9.6.24), to where it is 2^-58 of its largest value,
    # by the trapezoidal rule, whose error falls exponentially with the number of nodes
    w = series.select(2.0, v)
    reach = 40.0 / w
    end = log1p(reach + (reach * (reach + 2.0)).sqrt())
    width = end * (1 / NODES)

    def node(m: F, state: list[Any]) -> tuple[list[Number], Any]:
        t = m * width
        hyperbolic = sinh(t * 0.5)
        density = exp(w * -2.0 * hyperbolic * hyperbolic)
        grow, more = exponential(mu * t), exp(t)
        first = (grow + 1.0 / grow) * 0.5
        second_ = madd(grow, more, 1.0 / (grow * more)) * 0.5
        return [madd(first, density, state[0]), madd(second_, density, state[1])], m < float(NODES)

    begin = mu * 0.0 + 0.5
    total = turns(inside & ~series, [begin, begin], node, NODES)
    k_large, next_large = total[0] * width, total[1] * width
    at, following = pick(series, k_small, k_large), pick(series, next_small, next_large)  # both times e^x
    first = nu.eq(0.0)
    half = k.c(0.0) if scaled else (v * 0.5).at_most(600.0)  # of the exponential, so that the rest stays in range
    if second:
        at, following = at * exp(-half), following * exp(-half)

        def up(m: F, state: list[Any]) -> tuple[list[Number], Any]:
            before, now = state
            return [now, madd((mu + m) * (2.0 / v), now, before)], m < n

        result = _result(turns(inside & (n > 0.0), [at, following], up, TURNS)[0])
        result = result if scaled else result * exp(half - v)
        at_zero = first.select(0.0, math.inf) if by == 1 else math.inf
        edge = (x.eq(0.0) & (nu >= 0.0)).select(at_zero, (x.eq(math.inf) & (nu >= 0.0)).select(0.0, math.nan))
        return inside.select(result, edge)
    start, after = _pair(order, v, inside, 1.0)
    value, behind, scale = _down(order, n, v, start, after, 1.0, inside)
    # over I_mu, times e^-x: I_(mu+1) K_mu + I_mu K_(mu+1) = 1/x
    result = _result(1.0 / ((behind * at + value * following) * v) * (start * exp(half) * scale) * far)
    result = result if scaled else _grown(result, v - half)
    at_zero = first.select((1.0, -math.inf, math.inf)[by], 0.0)
    at_end: F | float = 0.0 if scaled else math.inf
    if by == 1 and not scaled:
        at_end = first.select(0.0, -math.inf)  # nearly -nu/x I
    edge = (x.eq(0.0) & (nu >= 0.0)).select(at_zero, (x.eq(math.inf) & (nu >= 0.0)).select(at_end, math.nan))
    return inside.select(result, edge)


def _grown(y: F, x: F) -> F:
    """y e^x in two factors, which overflows where the product does."""
    half = exp(x * 0.5)
    return y * half * half


def _of(function: Callable[..., F], *flags: bool) -> Callable[..., F]:
    return in_doubles(lambda nu, x, n: function(nu, x, *flags, n))


# Functions of the order, the argument and a static parameter: how many times they are differentiated by the order, two
# at most.
PARAMETRIC: dict[str, Callable[..., F]] = {
    "jv": _of(_bessel, False),
    "yv": _of(_bessel, True),
    "iv": _of(_modified, False, False),
    "kv": _of(_modified, True, False),
    "ive": _of(_modified, False, True),
    "kve": _of(_modified, True, True),
}
