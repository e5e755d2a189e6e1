"""erf, erfc, erfinv, lgamma, digamma and scaled Bessel functions, as LLVM IR.

Sources: M. Shepherd & J. Laframboise, Math. Comp. 36 (1981) 249, erfc by one series in (x - a)/(x + a); M. Giles,
"Approximating the erfinv function", GPU Computing Gems 2 (2011); Abramowitz & Stegun 6.1 and 6.3, the recurrences,
reflections and asymptotic series of the gamma function; 9.7, the Bessel functions' growth.
The polynomials come from benchmarks/minimax.py.
"""

from __future__ import annotations

from collections.abc import Callable

from .vecmath_base import F, fast_two_sum, fma, two_product
from .vecmath_coefficients import COEFFICIENTS
from .vecmath_exp import exp, exp_near, exp_of_sum, log
from .vecmath_trig import sin_cos

ERFC_CENTRE = 3.0  # the a of (x - a)/(x + a); benchmarks/minimax.py fits for this value


def _erfc_positive(a: F) -> F:
    """erfc(a) for a >= 0: exp(-a^2) P(t)/(1 + 2a), with a^2 as a double word."""
    k = a.k
    a = a.at_most(28.0)
    d = a + ERFC_CENTRE
    t = (a - ERFC_CENTRE) / d
    p = k.poly("erfc", t)
    if k.rough:  # the square of a float is exact
        return exp(-(a * a)) * (p / fma(a, 2.0, 1.0))
    s, e = two_product(a, a)
    return exp_of_sum(-s, -e) * (p / fma(a, 2.0, 1.0))


def erf(x: F) -> F:
    """The error function."""
    k = x.k
    a = abs(x)
    small = fma(a, k.poly("erf_small", a * a), a)
    if k.wide:
        # 1 - erfc for 1 <= a <= 6: the square need not be exact here
        c = a.at_most(6.0)
        t = (c - ERFC_CENTRE) / (c + ERFC_CENTRE)
        large = 1.0 - exp_near(-(c * c)) * (k.poly("erf_tail", t) / fma(c, 2.0, 1.0))
    else:
        c = a.at_most(4.0)
        large = 1.0 - exp_near(-(c * k.poly("erf_large", c)))
    return (a < 1.0).select(small, large).signed_as(x)


def _erfc(x: F) -> F:
    """The complementary error function in double precision."""
    k = x.k
    a = abs(x)
    tail = _erfc_positive(a)
    far = (x < 0.0).select(2.0 - tail, tail)
    high, low = fast_two_sum(k.c(1.0), -x)
    near = high + fma(-x, k.poly("erf_small", x * x), low)
    return (a < 0.5).select(near, far)


def erfinv(x: F) -> F:
    """The inverse of the error function on [-1, 1], NaN outside: polynomials in w = -log(1 - x^2), or in sqrt(w)."""
    k = x.k
    a = abs(x)
    inside = a < 1.0
    a = inside.select(a, 0.0)
    w = -log((1.0 - a) * (1.0 + a) if k.wide else fma(-a, a, 1.0))
    root = w.sqrt()
    if k.wide:
        p = k.poly("erfinv_a", w - 3.125)
        result = k.rare(~(w < 6.25), [p], _erfinv_tail, root)[0] * a
    else:
        result = _erfinv_float(a, w, root)
    edge = abs(x).eq(1.0).select(k.inf().signed_as(x), k.nan())
    return inside.select(result.signed_as(x), edge)


def _erfinv_float(a: F, w: F, root: F) -> F:
    """a P(u), the constant term of P in two parts, so that the last addition is the only rounding of weight."""
    k = a.k
    near = w < 5.0
    u = near.select(w - 1.5, root - 3.0)
    p0, p1 = COEFFICIENTS["erfinv_0.f32"], COEFFICIENTS["erfinv_1.f32"]
    q = near.select(k.horner(u, p0[1:]), k.horner(u, p1[1:]))
    c = near.select(k.c(p0[0]), k.c(p1[0]))
    low = near.select(k.c(k.constant("erfinv_0_low")[0]), k.c(k.constant("erfinv_1_low")[0]))
    return fma(a, c, fma(a * u, q, a * low))


def _erfinv_tail(root: F) -> tuple[F]:
    k = root.k
    return ((root < 4.0).select(k.poly("erfinv_b", root - 3.25), k.poly("erfinv_c", root - 5.05)),)


def _sin_cos_pi(a: F) -> tuple[F, F]:
    """|sin(pi a)|, and cos(pi a) with the sign that makes their quotient cot(pi a), for a >= 0."""
    k = a.k
    f = a - k.call("rint", a)  # exact
    g = abs(f)
    near = g < 0.25
    u = near.select(g, 0.5 - g)
    pi = k.constant("pi")
    r, lo = two_product(u, k.c(pi[0]))
    s, c = sin_cos(r, fma(u, pi[1], lo))
    return near.select(s, c), near.select(c, s).signed_as(f)


def _lgamma(x: F) -> F:
    """log |Gamma(x)| in double precision.

    x >= 8: Stirling's series. Below: log Gamma(2 + d) = d (1 + d) P(d) on -1 <= d <= 1/2, and one logarithm of what the
    recurrence Gamma(x + 1) = x Gamma(x) leaves; no digits are lost near the zeros at 1 and 2. x < 0: the reflection
    Gamma(-a) Gamma(a) = -pi/(a sin(pi a)); near its zeros the error is small in absolute terms only.
    """
    k = x.k
    a = abs(x)
    stirling = a >= 8.0
    t, product = a, k.c(1.0)
    for _ in range(6):
        step = (t >= 2.5) & ~stirling
        product = step.select(product * (t - 1.0), product)
        t = step.select(t - 1.0, t)
    below = a < 1.0
    d = stirling.select(k.c(0.0), below.select(a - 1.0, t - 2.0))
    after = below.select(a, d + 1.0)  # exact: 1 + d would not be for a small argument
    logarithm = log((below | stirling).select(a, product))
    near = below.select(-logarithm, logarithm) + d * after * k.poly("lgamma_2", d + 0.25)
    inverse = 1.0 / a
    constant = k.constant("log_2pi_2")[0] - 0.5
    far = fma(a - 0.5, logarithm - 1.0, fma(k.poly("lgamma_tail", inverse * inverse), inverse, constant))
    result = stirling.select((a < k.inf()).select(far, a), near)

    def mirrored() -> F:
        s, _ = _sin_cos_pi(a)
        return s.eq(0.0).select(k.inf(), k.constant("log_pi")[0] - log(s * a) - result)

    reflect = (x < 0.0) & (a > 2.0**-60)  # below that log |Gamma(-a)| = log Gamma(a), and s a would be subnormal
    return a.eq(k.inf()).select(a, k.where_any(reflect, result, mirrored))


def _digamma(x: F) -> F:
    """The derivative of lgamma in double precision.

    x >= 8: the asymptotic series. Below: (x - root) P(x) on [1, 2], exact at the root to the last digit, and a sum of
    reciprocals as one quotient. x <= -1/2: the reflection psi(-a) = psi(a) + 1/a + pi cot(pi a).
    """
    k = x.k
    reflect = x <= -0.5
    y = reflect.select(-x, x)
    asymptotic = y >= 8.0
    one = k.c(1.0)
    up = y < 1.0
    t, n, d = up.select(y + 1.0, y), up.select(-one, 0.0), up.select(y, one)
    up = t < 1.0
    t, n, d = up.select(t + 1.0, t), up.select(n * t - d, n), up.select(d * t, d)
    for _ in range(6):
        step = (t >= 2.0) & ~asymptotic
        s = t - 1.0
        t, n, d = step.select(s, t), step.select(fma(n, s, d), n), step.select(d * s, d)
    root = k.constant("digamma_root")
    u = asymptotic.select(k.c(0.0), t - 1.5)
    near = ((t - root[0]) - root[1]) * k.poly("digamma_12", u) + n / d
    inverse = 1.0 / y
    z = inverse * inverse
    far = log(asymptotic.select(y, one)) - fma(k.poly("digamma_tail", z), z, inverse * 0.5)
    result = asymptotic.select(far, near)

    def mirrored() -> F:
        s, c = _sin_cos_pi(reflect.select(y, 0.5))
        value = result + (inverse + k.constant("pi")[0] * (c / s))
        return (s > 0.0).select(value, k.nan())  # a pole, or minus infinity

    return k.where_any(reflect, result, mirrored)


def _in_doubles(function: Callable[[F], F], x: F) -> F:
    """The function in double precision, for a float with polynomials of the degree that a float result needs."""
    return function(x) if x.k.wide else function(x.to(x.k.rough_doubles())).to(x.k)


def erfc(x: F) -> F:
    """The complementary error function."""
    return _in_doubles(_erfc, x)


def lgamma(x: F) -> F:
    """log |Gamma(x)|; infinite at 0 and the negative integers."""
    return _in_doubles(_lgamma, x)


def digamma(x: F) -> F:
    """The derivative of log Gamma; minus and plus infinity at +0 and -0, NaN at the negative integers."""
    return _in_doubles(_digamma, x)


def _scaled_bessel(a: F, order: int) -> F:
    """e^-a I(a) for a >= 0, by a polynomial in a below 8 and in 1/a above."""
    k = a.k
    near = k.poly(f"i{order}e_near", fma(a.at_most(8.0), 0.25, -1.0))
    inverse = 1.0 / a.at_least(8.0)
    far = k.poly(f"i{order}e_far", fma(inverse, 16.0, -1.0)) * inverse.sqrt()
    return (a < 8.0).select(near * a if order else near, far)


def i0e(x: F) -> F:
    """e^-|x| I0(x), the modified Bessel function scaled."""
    return _in_doubles(lambda a: _scaled_bessel(a, 0), abs(x))


def i1e(x: F) -> F:
    """e^-|x| I1(x), the modified Bessel function of order 1 scaled."""
    return _in_doubles(lambda a: _scaled_bessel(a, 1), abs(x)).signed_as(x)


FUNCTIONS: dict[str, Callable[..., F]] = {
    "erf": erf, "erfc": erfc, "erfinv": erfinv, "lgamma": lgamma, "digamma": digamma, "i0e": i0e, "i1e": i1e,
}  # fmt: skip
