"""Bessel functions of the orders 0 and 1, modified ones, spherical ones, and Airy's function, as LLVM IR.

Near the origin, tables of local polynomials whose rows are centred on the function's zeros; far from it, modulus and
phase (Abramowitz & Stegun 9.2.28 and 9.2.29; DLMF 9.8), with the phase as a double word, or the function divided by its
exponential.
Sources: Abramowitz & Stegun 9.1.10 to 9.1.13, 9.6.10 to 9.6.13, the series at 0; DLMF 10.49 and 10.53, spherical
functions. The tables come from benchmarks/pieces.py.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction

from rushlight.compiler.vecmath.base import F, Kit, fma
from rushlight.compiler.vecmath.double_words import D, choose, exp_times, in_doubles, log_of, pieces
from rushlight.compiler.vecmath.trigonometric import _reduce, sin_cos

EULER = 0.5772156649015328606


# -- modified functions
# -------------------------------------------------------------------------------------------------
def _scaled_i(a: F, order: int) -> D:
    """e^-a I(a) for a >= 0."""
    near = pieces(f"i{order}e", a.at_most(8.0))
    if order:
        near = near * a
    b = a.at_least(8.0)
    far = pieces(f"i{order}e_far", 1.0 / b) / D(b).sqrt()
    return choose(a < 8.0, near, far)


def _i(x: F, order: int) -> F:
    """I(x) for x >= 0; odd orders are made odd by the caller."""
    a = x.at_most(720.0)
    return (x < math.inf).select(exp_times(D(a), _scaled_i(a, order)), x)


# The series at 0, by order and power of +-(a/2)^2: of I and J (halved where the order is 1), and what K and Y add to
# its product with the logarithm.
_TERMS = range(7)
_HARMONIC = [sum((Fraction(1, m) for m in range(1, n + 1)), Fraction(0)) for n in range(len(_TERMS) + 1)]
_FACTORIALS = [math.factorial(n) for n in range(len(_TERMS) + 1)]
_POWERS = (
    [float(Fraction(1, _FACTORIALS[n] ** 2)) for n in _TERMS],
    [float(Fraction(1, 2 * _FACTORIALS[n] * _FACTORIALS[n + 1])) for n in _TERMS],
)
_LOGARITHMIC = (
    [float(_HARMONIC[n] / _FACTORIALS[n] ** 2) for n in _TERMS],
    [float((_HARMONIC[n] + _HARMONIC[n + 1]) / (4 * _FACTORIALS[n] * _FACTORIALS[n + 1])) for n in _TERMS],
)


def _of_half(a: F) -> D:
    """log(a/2) + gamma."""
    k = a.k
    return log_of(a * 0.5) + D(k.c(EULER), k.c(-4.942915152430645e-18))


def _small_k(a: F, order: int) -> D:
    """K(a) for 0 < a <= 1/8, by the series at 0."""
    k = a.k
    z = a * a * 0.25
    logarithm, rest = _of_half(a), _LOGARITHMIC[order]
    if order == 0:  # -(log(a/2) + gamma) I0(a) + the sum of H_k z^k / k!^2
        i0 = _POWERS[0]
        return -(logarithm * (D(k.c(1.0)) + z * k.horner(z, i0[1:]))) + k.horner(z, rest[1:]) * z
    # 1/a + (log(a/2) + gamma) I1(a) - a/4 sum of (H_k + H_(k+1)) z^k / (k! (k + 1)!)
    bounded = a.at_least(2.0**-1000)
    return D(k.c(1.0)) / a + bounded * fma(logarithm.hi, k.horner(z, _POWERS[1]), -k.horner(z, rest))


def _scaled_k(x: F, order: int, scaled: bool) -> F:
    """K(x), or e^x K(x)."""
    a = x.at_least(0.125)
    b = a.at_least(8.0).at_most(2.0**1000)
    large = choose(a < 8.0, pieces(f"k{order}e", a), pieces(f"k{order}e_far", 1.0 / b) / D(b).sqrt())
    small = _small_k((x > 0.0).select(x.at_most(0.125), 0.125), order)
    tiny = x < 0.125
    if scaled:
        c = x.at_most(0.125)
        result = tiny.select(exp_times(D((c > 0.0).select(c, 0.0)), small), large.rounded())
    else:
        result = tiny.select(small.rounded(), exp_times(-D(a.at_most(800.0)), large))
    if order:  # 1/x overflows
        result = (x < 2.0**-1000).select(1.0 / x, result)
    result = x.eq(math.inf).select(0.0, result)
    return (x > 0.0).select(result, x.eq(0.0).select(math.inf, math.nan))


# -- oscillating functions
# ----------------------------------------------------------------------------------------------
def _turned(x: F, x_low: F | None, extra: D) -> tuple[F, F]:
    """cos and sin of x + x_low - pi/4 + extra."""
    k = x.k
    q, r, lo = _reduce(x)
    if x_low is not None:
        lo = lo + x_low
    quarter = D.constant(k, "pi_4")
    ahead = r >= 0.0  # r - pi/4 or, a quarter turn back, r + pi/4
    angle = D(r, lo) + choose(ahead, -quarter, quarter) + extra
    if k.rough:
        angle = D(r + lo) + choose(ahead, -quarter, quarter) + extra
    s, c = sin_cos(angle.hi, angle.low)
    q = ahead.select(q, q - 1)
    odd = (q & 1).ne(0)
    sine, cosine = odd.select(c, s), odd.select(s, c)
    negative_s, negative_c = (q & 2).ne(0), ((q + 1) & 2).ne(0)
    return negative_c.select(-cosine, cosine), negative_s.select(-sine, sine)


def _far_bessel(a: F, order: int) -> tuple[F, F]:
    """J(a) and Y(a) for a >= 32, by modulus and phase."""
    b = a.at_least(32.0)
    v = 1.0 / b
    c, s = _turned(b, None, pieces(f"phase{order}", v) * v)
    size = (pieces(f"modulus{order}", v) / D(b).sqrt()).rounded()
    if order:  # a quarter turn behind the order 0
        c, s = s, -c
    return size * c, size * s


def _j(x: F, order: int) -> F:
    k = x.k
    a = abs(x)
    near = pieces(f"j{order}", a.at_most(32.0))
    result = near.rounded()
    result = k.where_any(a >= 32.0, result, lambda: _far_bessel(a, order)[0])
    result = a.eq(math.inf).select(0.0, result)
    if order:
        result = (a < 2.0**-500).select(a * 0.5, result)
        return (result.as_int() ^ (x.as_int() & (1 << (k.bits - 1)))).as_float()
    return result


def _small_y(a: F, order: int) -> D:
    """Y(a) for 0 < a <= 1/8, by the series at 0."""
    k = a.k
    z = a * a * -0.25
    logarithm, rest = _of_half(a), _LOGARITHMIC[order]
    factor = 2 / math.pi
    if order == 0:
        j0 = _POWERS[0]
        total = logarithm * (D(k.c(1.0)) + z * k.horner(z, j0[1:])) - (k.horner(z, rest[1:]) * z)
        return total * D.constant(k, "2_pi")
    bounded = a.at_least(2.0**-1000)
    far = -(D.constant(k, "2_pi") / a)
    return far + bounded * (fma(logarithm.hi, k.horner(z, _POWERS[1]), -k.horner(z, rest)) * factor)


def _y(x: F, order: int) -> F:
    k = x.k
    positive = x > 0.0
    a = positive.select(x, 1.0)
    near = pieces(f"y{order}_near", a.at_least(0.125).at_most(4.0))
    result = choose(a < 4.0, near, pieces(f"y{order}", a.at_least(4.0).at_most(32.0))).rounded()
    result = (a < 0.125).select(_small_y(a.at_most(0.125), order).rounded(), result)
    result = k.where_any(a >= 32.0, result, lambda: _far_bessel(a, order)[1])
    if order:
        result = (a < 2.0**-1000).select(k.c(-2 / math.pi) / a, result)
    result = x.eq(math.inf).select(0.0, result)
    return positive.select(result, x.eq(0.0).select(-math.inf, math.nan))


def _airy(x: F, derivative: int) -> F:
    """Ai(x) or Ai'(x)."""
    k = x.k
    name = "aip" if derivative else "ai"
    result = pieces(name, x.at_least(-16.0).at_most(2.0)).rounded()

    def decaying() -> F:
        a = x.at_least(2.0).at_most(109.0)
        root = D(a).sqrt()
        zeta = (root * a) * D(k.c(2.0 / 3.0), k.c(3.700743415417188e-17))
        quarter = root.sqrt()
        size = pieces(f"{name}_far", a)
        return exp_times(-zeta, -(size * quarter) if derivative else size / quarter)

    def oscillating() -> F:
        exact = Kit(k.b, k.type)  # a float result needs the phase as a double word too
        a = exact.f((-x).at_least(16.0).at_most(2.0**600).v)
        root = D(a).sqrt()
        zeta = (root * a) * D(exact.c(2.0 / 3.0), exact.c(3.700743415417188e-17))
        low = (zeta.hi < 2.0**52).select(zeta.low, 0.0)  # beyond, not a digit of the result is known
        v = 1.0 / zeta.hi
        phase = pieces(f"{name}_phase", v) * v
        # Ai(-x) ~ cos(zeta - pi/4 - atan(Q/P)), Ai'(-x) ~ sin(zeta - pi/4 - atan(Q/P))
        c, s = _turned(zeta.hi, low, -phase)
        quarter = root.sqrt()
        size = pieces(f"{name}_modulus", v) * D.constant(exact, "2_sqrtpi").scaled(0.5)
        return k.f(((size * quarter) * s if derivative else (size / quarter) * c).rounded().v)

    result = k.where_any(x >= 2.0, result, decaying)
    result = k.where_any(x <= -16.0, result, oscillating)
    result = (x > 108.5).select(-0.0 if derivative else 0.0, result)
    return x.eq(-math.inf).select(math.nan if derivative else 0.0, x.is_nan().select(x, result))


# -- spherical functions
# ------------------------------------------------------------------------------------------------
@in_doubles
def spherical_j(x: F, order: int) -> F:
    """The spherical Bessel function j of an integer order >= 0: its power series below order + 2, the recurrence from
    sin(x)/x above."""
    k = x.k
    a = abs(x)
    border = order + 2.0
    near = a < border
    z = near.select(x, 0.0)
    z = z * z * -0.5
    series, term, n = [], Fraction(1), 0
    # sum of (-x^2/2)^n / (n! (2 order + 3) (2 order + 5) ...)
    while float(term) * (border * border / 2) ** n > 2.0**-70:
        series.append(float(term))
        n += 1
        term /= n * (2 * order + 2 * n + 1)
    small = k.horner(z, series)
    power = near.select(x, 1.0)
    for m in range(order):
        small = small * power * (1.0 / (2 * m + 3))
    q, r, lo = _reduce(near.select(1.0, x))
    s, c = sin_cos(r, lo)
    odd = (q & 1).ne(0)
    sine = (q & 2).ne(0).select(-odd.select(c, s), odd.select(c, s))
    cosine = ((q + 1) & 2).ne(0).select(-odd.select(s, c), odd.select(s, c))
    inverse = 1.0 / near.select(1.0, x)
    before, at = cosine * inverse, sine * inverse
    for m in range(order):
        before, at = at, fma(at * inverse, 2 * m + 1.0, -before)
    return near.select(small, a.eq(math.inf).select(0.0, at))


def _odd(function: Callable[[F], F], x: F) -> F:
    return in_doubles(function)(abs(x)).signed_as(x)


def i0e(x: F) -> F:
    """e^-|x| I0(x), the modified Bessel function scaled."""
    return in_doubles(lambda a: (a < math.inf).select(_scaled_i(a, 0).rounded(), _nan_or_zero(a)))(abs(x))


def _nan_or_zero(a: F) -> F:
    """0 for infinity, NaN for NaN."""
    return a.is_nan().select(a, 0.0)


def i1e(x: F) -> F:
    """e^-|x| I1(x), the modified Bessel function of order 1 scaled."""
    return _odd(lambda a: (a < math.inf).select(_scaled_i(a, 1).rounded(), _nan_or_zero(a)), x)


FUNCTIONS: dict[str, Callable[..., F]] = {
    "i0": lambda x: in_doubles(functools.partial(_i, order=0))(abs(x)), "i0e": i0e,
    "i1": lambda x: _odd(functools.partial(_i, order=1), x), "i1e": i1e,
    "k0": in_doubles(functools.partial(_scaled_k, order=0, scaled=False)),
    "k1": in_doubles(functools.partial(_scaled_k, order=1, scaled=False)),
    "k0e": in_doubles(functools.partial(_scaled_k, order=0, scaled=True)),
    "k1e": in_doubles(functools.partial(_scaled_k, order=1, scaled=True)),
    "j0": in_doubles(functools.partial(_j, order=0)), "j1": in_doubles(functools.partial(_j, order=1)),
    "y0": in_doubles(functools.partial(_y, order=0)), "y1": in_doubles(functools.partial(_y, order=1)),
    "airy_ai": in_doubles(functools.partial(_airy, derivative=0)),
    "airy_ai_prime": in_doubles(functools.partial(_airy, derivative=1)),
}  # fmt: skip
