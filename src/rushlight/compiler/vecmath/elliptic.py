"""Elliptic integrals, Lambert's W, Owen's T and the Faddeeva function, as LLVM IR.

Sources: DLMF 19.8.5 and 19.8.6, complete elliptic integrals by the arithmetic-geometric mean; B. Carlson, Numer.
Algorithms 10 (1995) 13, RF and RD by duplication; R. Corless et al., Adv. Comput. Math. 5 (1996) 329, Lambert's W; D.
Owen, Ann. Math. Stat. 27 (1956) 1075, the T function; M. Al Azah & S. Chandler-Wilde, SIAM J. Numer. Anal. 59 (2021)
2346, the Faddeeva function by modified trapezoidal rules.
"""

from __future__ import annotations

import functools
import math
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from rushlight.compiler.vecmath.base import F, M, fma
from rushlight.compiler.vecmath.double_words import D, choose, exp_times, gather, in_doubles, loop
from rushlight.compiler.vecmath.erf_lgamma import ndtr
from rushlight.compiler.vecmath.exponential import exp, log, log1p
from rushlight.compiler.vecmath.trigonometric import cos, sin


# -- complete elliptic integrals
# ------------------------------------------------------------------------------------------
def _complete(m: F, complement: D, kind: str) -> F:
    """K(m), E(m) or D(m) = (K - E)/m for m < 1, complement = 1 - m."""
    k = m.k
    inside = (complement.hi > 0.0) & (complement.hi < math.inf)
    m = inside.select(m, 0.0)
    g = choose(inside, complement, 1.0).sqrt()
    # u = c_n^2 / m with c_1 = (1 - g)/2 = m/(2 (1 + g)) and c_(n+1) = c_n^2 / (4 a_(n+1)); the sum is of 2^(n-1) u
    first = D(m) / ((g + 1.0) * (g + 1.0)).scaled(4.0)

    def step(n: F, state: list[F]) -> tuple[list[F], Any]:
        a, g, u, total = (D(state[i], state[i + 1]) for i in (0, 2, 4, 6))
        weight = state[8]
        total = total + u * weight
        mean, root = (a + g).scaled(0.5), (a * g).sqrt()
        following = mean * mean
        u = u * u * m / following.scaled(16.0) if kind != "k" else u
        new = [mean.hi, mean.low, root.hi, root.low, u.hi, u.low, total.hi, total.low, weight * 2.0]
        return new, abs(mean.hi - root.hi) > mean.hi * 2.0**-30

    start = (1.0 + g).scaled(0.5)
    root = g.sqrt()
    state = loop(inside, [start.hi, start.low, root.hi, root.low, first.hi, first.low, 0.0, 0.0, 1.0], step, 60)
    a, b = D(state[0], state[1]), D(state[2], state[3])
    mean = (a + b).scaled(0.5)
    whole = D.constant(k, "pi_2") / mean
    if kind == "k":
        result = whole.rounded()
    else:
        total = D(state[6], state[7]) + D(state[4], state[5]) * state[8] + 0.5
        result = (whole * total if kind == "d" else whole * (1.0 - total * m)).rounded()
    edge = (complement.hi > 0.0).select(math.inf if kind == "e" else 0.0, math.nan)
    at_one = 1.0 if kind == "e" else math.inf
    return inside.select(result, complement.hi.eq(0.0).select(at_one, edge))


def _of_parameter(kind: str) -> Callable[[F], F]:
    return in_doubles(lambda m: _complete(m, D.sum(-m, 1.0), kind))


@in_doubles
def _near_one(p: F) -> F:
    return _complete(1.0 - p, D(p, p.k.c(0.0)), "k")


# -- incomplete elliptic integrals
# ----------------------------------------------------------------------------------------
def _carlson(x: F, y: F, active: M) -> tuple[F, F]:
    """RF(x, y, 1) and RD(x, y, 1) for x, y >= 0, at most one of them 0."""

    def step(n: F, state: list[F]) -> tuple[list[F], Any]:
        x, y, z, total, factor = state
        p, q, r = x.sqrt(), y.sqrt(), z.sqrt()
        lam = fma(p, q + r, q * r)
        total = total + factor / (r * (z + lam))
        x, y, z = ((v + lam) * 0.25 for v in (x, y, z))
        mean = (x + y + z) * (1 / 3)
        spread = abs(x - mean) + abs(y - mean) + abs(z - mean)
        return [x, y, z, total, factor * 0.25], spread > mean * 2.0**-9

    x, y, z, total, factor = loop(active, [x, y, 1.0, 0.0, 1.0], step, 600)
    mean = (x + y + z) * (1 / 3)
    u, v = 1.0 - x / mean, 1.0 - y / mean
    w = -(u + v)
    e2, e3 = fma(u, v, -(w * w)), u * v * w
    rf = (
        1.0
        + (
            e2 * (-1 / 10)
            + e3 * (1 / 14)
            + e2 * e2 * (1 / 24)
            - e2 * e3 * (3 / 44)
            - e2 * e2 * e2 * (5 / 208)
            + e3 * e3 * (3 / 104)
        )
    ) / mean.sqrt()
    mean = (x + y + z * 3.0) * 0.2
    u, v = 1.0 - x / mean, 1.0 - y / mean
    w = (u + v) * (-1 / 3)
    uv, ww = u * v, w * w
    e2, e3, e4, e5 = uv - ww * 6.0, (uv * 3.0 - ww * 8.0) * w, (uv - ww) * ww * 3.0, uv * w * ww
    series = (e2 * (-3 / 14) + e3 * (1 / 6) + e2 * e2 * (9 / 88) - e4 * (3 / 22) - e2 * e3 * (9 / 52) + e5 * (3 / 26)
              - e2 * e2 * e2 * (1 / 16) + e3 * e3 * (3 / 40) + e2 * e4 * (3 / 20) + e2 * e2 * e3 * (45 / 272) - (e3 *
              e4 + e2 * e5) * (9 / 68))  # fmt: skip
    rd = fma(total, 3.0, factor * (1.0 + series) / (mean * mean.sqrt()))
    return rf, rd


def _incomplete(phi: F, m: F, kind: str) -> F:
    """F(phi | m), or D(phi | m) = (F - E)/m."""
    k = phi.k
    turns = k.call("rint", phi * (1 / math.pi))
    pi = k.constant("pi")
    rest = fma(turns, -pi[2], fma(turns, -pi[1], fma(turns, -pi[0], phi)))
    s, c = sin(rest), cos(rest)
    delta = fma(-m, s * s, 1.0)
    inside = (delta >= 0.0) & (abs(phi) < math.inf) & (abs(m) < math.inf)
    rf, rd = _carlson(inside.select(c * c, 1.0), inside.select(delta, 1.0), inside)
    result = s * rf if kind == "k" else s * s * s * rd * (1 / 3)
    complete = _complete(m, D.sum(-m, 1.0), kind)
    result = turns.eq(0.0).select(result, fma(turns * 2.0, complete, result))
    at_zero = phi.eq(0.0) & ~m.is_nan()
    return at_zero.select(phi, inside.select(result, math.nan))


# -- Lambert's W
# -----------------------------------------------------------------------------------------------------------
@functools.cache
def _branch_series(count: int) -> list[float]:
    """The coefficients of W = -1 + p - p^2/3 + ..., p = sqrt(2 (1 + e x)), by the recurrence of Corless et al. (4.23,
    4.24).
    """
    mu, alpha = [Fraction(-1), Fraction(1)], [Fraction(2), Fraction(-1)]
    for n in range(2, count):
        alpha.append(sum((mu[j] * mu[n + 1 - j] for j in range(2, n)), Fraction(0)))
        mu.append(Fraction(n - 1, n + 1) * (mu[n - 2] / 2 + alpha[n - 2] / 4) - alpha[n] / 2 - mu[n - 1] / (n + 1))
    return [float(c) for c in mu]


def _lambert(x: F, branch: int) -> F:
    k = x.k
    e = D(k.c(math.e), k.c(1.4456468917292502e-16))
    distance = (e * x + 1.0).scaled(2.0)
    legal = (distance.hi >= 0.0) & ((x < 0.0) if branch else (x < math.inf))
    v = legal.select(x, -0.2)
    p = legal.select(distance.rounded(), 0.9).at_least(0.0).sqrt()
    if branch:
        p = -p
    near = k.horner(p, _branch_series(36))  # p < 0 on the branch -1
    close = abs(p) < 0.4
    if branch == 0:
        grown = log1p(v.at_least(-0.3))
        guess = grown * (1.0 - log1p(grown.at_least(-0.3)) / (grown + 2.0))
        start = (v < -0.33).select(near, guess)

        def step(n: F, state: list[F]) -> tuple[list[F], Any]:
            w = state[0]
            f = w - v * exp(-w)  # Halley's method for w - x e^-w, which does not overflow
            slope = w + 1.0
            new = w - f / (slope - (w + 2.0) * f / (slope * 2.0))
            return [new], abs(new - w) > abs(new) * 2.0**-40
    else:
        l1 = log(-v)
        l2 = log(-l1.at_most(-1.0))
        start = (v < -0.3).select(near, l1 - l2 + l2 / l1)

        def step(n: F, state: list[F]) -> tuple[list[F], Any]:
            w = state[0]
            new = w * (1.0 + log(v / w)) / (w + 1.0)  # Newton's method for w + log(w/x)
            return [new], abs(new - w) > abs(new) * 2.0**-30

    result = loop(legal & ~close & ~v.eq(0.0), [start], step, 12)[0]
    result = close.select(near, result)
    result = v.eq(0.0).select(v, result)
    edge = x.eq(0.0).select(-math.inf, math.nan) if branch else x.eq(math.inf).select(x, math.nan)
    return legal.select(result, edge)


# -- Owen's T
# --------------------------------------------------------------------------------------------------------------
@functools.cache
def _gauss_legendre(count: int) -> tuple[list[float], list[float]]:
    """The nodes and weights of Gauss and Legendre's rule on [0, 1] (A&S 25.4.29), by Newton's method on the
    polynomial.
    """
    nodes, weights = [], []
    for i in range(count):
        x = math.cos(math.pi * (i + 0.75) / (count + 0.5))
        for _ in range(20):
            before, at = 1.0, x
            for n in range(2, count + 1):
                before, at = at, ((2 * n - 1) * x * at - (n - 1) * before) / n
            slope = count * (x * at - before) / (x * x - 1)
            x -= at / slope
        nodes.append((1 + x) / 2)
        weights.append(1 / ((1 - x * x) * slope * slope))
    return nodes, weights


def _owen(h: F, a: F) -> F:
    """The integral from 0 to a of e^(-h^2 (1 + x^2)/2) / (1 + x^2) over 2 pi, by 32 nodes; a > 1 by T(a h, 1/a)."""
    k = h.k
    h, b = abs(h), abs(a)
    turned = b > 1.0
    size = turned.select(h * b, h)
    size = size.is_nan().select(0.0, size).at_most(1e100)  # 0 times infinity is NaN
    limit = turned.select(1.0 / b, b)
    end = limit.at_most(9.0 / size.at_least(1e-3))
    nodes, weights = _gauss_legendre(32)
    array = k.table(
        "rl.owen",
        lambda: [
            struct.unpack("<q", struct.pack("<d", c))[0] for pair in zip(nodes, weights, strict=True) for c in pair
        ],
    )
    half = size * size * -0.5

    def step(n: F, state: list[F]) -> tuple[list[F], Any]:
        at = ((n - 1.0) + 1.5 * 2.0**52).as_int() & 0xFF
        x = gather(array, at << 1, 0) * end
        y = fma(x, x, 1.0)
        return [fma(gather(array, at << 1, 1), exp(half * (x * x)) / y, state[0])], n < 32.0

    total = loop(size.eq(size), [0.0], step, 32)[0]
    tail = exp_times(-D.product(size.at_most(40.0), size.at_most(40.0)).scaled(0.5), D(total * end)) * (0.5 / math.pi)
    q, r = ndtr(-h), ndtr(-size)
    result = turned.select(fma(-q, r, (q + r) * 0.5) - tail, tail)
    return (h.is_nan() | a.is_nan()).select(h + a, result).signed_as(a)


# -- the Faddeeva function
# -------------------------------------------------------------------------------------------------
NODES = 11
STEP = math.sqrt(math.pi / (NODES + 1))


def _faddeeva(x: F, y: F, imaginary: bool) -> F:
    """The real or the imaginary part of w(x + iy) = e^(-z^2) erfc(-iz), y >= 0.

    A sum over the nodes (n + 1/2) h or n h, whichever are further from x, of e^(-t^2) / (z^2 - t^2), and the correction
    for the poles +-z where y is small: 2 e^(-z^2) / (1 +- e^(-2 pi i z/h)).
    """
    k = x.k
    sign, x = x, abs(x)
    scaled = x * (1 / STEP)
    fraction = scaled - k.call("floor", scaled)
    integral = (y < x) & (fraction >= 0.25) & (fraction <= 0.75)
    total = k.c(0.0)
    x2, y2 = x * x, y * y
    for n in range(NODES + 1):
        middle, whole = (n + 0.5) * STEP, n * STEP
        t = integral.select(whole, middle)
        weight = integral.select(math.exp(-whole * whole) * (0.5 if n == 0 else 1.0), math.exp(-middle * middle))
        left, right = x - t, x + t
        size = fma(left, left, y2) * fma(right, right, y2)
        top = fma(left, right, y2) if imaginary else fma(t, t, x2 + y2)
        total = total + weight * top / size
    result = total * (x if imaginary else y) * (2 * STEP / math.pi)
    corrected = (y < math.pi / STEP) | (y < x)
    # 2 e^(-z^2) / (1 + s e^(-2 pi i z/h)), s = -1 for the integral nodes
    near = corrected & (x < 40.0) & (y < 40.0)
    u, v = near.select(x, 1.0), near.select(y, 0.0)
    size = exp_times(D.product(v, v) - D.product(u, u), 2.0)
    angle = u * v * -2.0
    growth = exp(v * (2 * math.pi / STEP))
    turn = u * (-2 * math.pi / STEP)
    growth = integral.select(-growth, growth)
    dr, di = fma(growth, cos(turn), 1.0), growth * sin(turn)
    norm = fma(dr, dr, di * di)
    ar, ai = cos(angle), sin(angle)
    part = fma(ai, dr, -(ar * di)) if imaginary else fma(ar, dr, ai * di)
    result = result + (near & (norm < math.inf)).select(size * part / norm, 0.0)
    # far out: i / (sqrt(pi) z), whose squares would overflow above
    huge = (x > 1e70) | (y > 1e70)
    scale = (x > y).select(x, y)
    p, q = x / scale, y / scale
    far = (p if imaginary else q) / (fma(p, p, q * q) * scale) * (1 / math.sqrt(math.pi))
    result = huge.select((scale < math.inf).select(far, 0.0), result)
    result = (y >= 0.0).select(result, math.nan)
    result = (x.is_nan() | y.is_nan()).select(x + y, result)
    return (sign < 0.0).select(-result, result) if imaginary else result


FUNCTIONS: dict[str, Callable[..., F]] = {
    "ellipk": _of_parameter("k"), "ellipe": _of_parameter("e"), "ellipd": _of_parameter("d"), "ellipkm1": _near_one,
    "lambertw": in_doubles(functools.partial(_lambert, branch=0)),
    "lambertw_1": in_doubles(functools.partial(_lambert, branch=-1)),
}  # fmt: skip
PARAMETRIC: dict[str, Callable[..., F]] = {
    "ellipkinc": in_doubles(lambda phi, m, n: _incomplete(phi, m, "k")),
    "ellipdinc": in_doubles(lambda phi, m, n: _incomplete(phi, m, "d")),
    "owens_t": in_doubles(lambda h, a, n: _owen(h, a)),
    "faddeeva": in_doubles(lambda x, y, n: _faddeeva(x, y, n == 1)),
}
