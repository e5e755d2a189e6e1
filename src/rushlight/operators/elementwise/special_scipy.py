"""Special functions that SciPy has and PyTorch lacks, in SciPy's names: beta, Bessel functions of real order,
elliptic integrals, hypergeometric functions, Lambert's W, Owen's T, Voigt.

Formulas: M. Abramowitz & I. Stegun, "Handbook of Mathematical Functions" (1964), A&S; the NIST Digital Library of
Mathematical Functions, DLMF. The errors stated are the largest met against mpmath, in units in the last place of
float64; float32 is computed in double precision.
"""

from __future__ import annotations

import math as _math
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.operators.elementwise.special import special
from rushlight.operators.table.body import double, with_rule
from rushlight.operators.table.tracer import P, Tracer, filled
from rushlight.operators.table.types import Operand


# -- beta and inverses
# ----------------------------------------------------------------------------------------------------
@special
def betaln(input: Operand, other: Operand) -> Tensor:
    """log |B(input, other)|, elementwise; accurate where an argument is large, which a sum of lgamma is not (DiDonato &
    Morris 1992).
    """
    zero, infinite, one = (filled(v, input) for v in (0.0, _math.inf, 1.0))
    none, endless = (input == zero) | (other == zero), (input == infinite) | (other == infinite)
    edge = (none | endless) & ((input >= zero) & (other >= zero))
    value = P.betaln(P.select(edge, one, input), P.select(edge, one, other), n=0)
    return P.select(edge, P.select(none, infinite, -infinite), value)  # at 0 and at infinity by their limits


@special
def beta(input: Operand, other: Operand) -> Tensor:
    """The beta function B(input, other) of positive arguments (A&S 6.2), elementwise; NaN for negative ones."""
    return P.beta(input, other, n=0)


@special
def betainc(a: Operand, b: Operand, x: Operand) -> Tensor:
    """The regularized incomplete beta function I_x(a, b) (A&S 26.5), elementwise.

    Args:
        a, b: the shapes, > 0.
        x: in [0, 1]. Derivatives by all three exist, by a shape once.

    Source:
        The continued fraction DLMF 8.17.22, of the nearer end.
    """
    zero, infinite, one, nan = (filled(v, x) for v in (0.0, _math.inf, 1.0, _math.nan))
    # All the weight lies at 0 where a is 0 or b infinite, and at 1 the other way round: the limits, where they are not
    # both.
    low, high = (a == zero) | (b == infinite), (b == zero) | (a == infinite)
    edge = (low | high) & ((a >= zero) & (b >= zero))
    value = P.betainc(P.select(edge, one, a), P.select(edge, one, b), x, n=("", 0))
    step = P.select(low, P.select(x > zero, one, zero), P.select(x < one, zero, one))
    known = P.not_(low & high) & ((x >= zero) & (x <= one))
    return P.select(edge, P.select(known, step, nan), value)


@special
def betaincinv(a: Operand, b: Operand, y: Operand) -> Tensor:
    """The x with betainc(a, b, x) = y, elementwise, by Newton's method in a bracket; derivatives by all three arguments
    exist.
    """
    return P.betaincinv(a, b, y, n=0)


@special
def gammaincinv(a: Operand, y: Operand) -> Tensor:
    """The x with gammainc(a, x) = y, elementwise, by Newton's method in a bracket; derivatives by both arguments
    exist.
    """
    return P.igammainv(a, y, n=0)


@special
def gammainccinv(a: Operand, y: Operand) -> Tensor:
    """The x with gammaincc(a, x) = y, elementwise, by Newton's method in a bracket; derivatives by both arguments
    exist.
    """
    return P.igammacinv(a, y, n=0)


# -- elliptic integrals
# ---------------------------------------------------------------------------------------------------
@special
def ellipk(m: Tensor) -> Tensor:
    """The complete elliptic integral of the first kind K(m) of the parameter m <= 1 (A&S 17.3.1), elementwise.

    Infinite at 1, NaN above.

    Source:
        The arithmetic-geometric mean (DLMF 19.8.5).
    """
    return P.ellipk(m)


@special
def ellipkm1(p: Tensor) -> Tensor:
    """K(1 - p), accurate for small p, elementwise."""
    return P.ellipkm1(p)


@special
def ellipe(m: Tensor) -> Tensor:
    """The complete elliptic integral of the second kind E(m) of the parameter m <= 1 (A&S 17.3.3), elementwise.

    Source:
        The arithmetic-geometric mean (DLMF 19.8.6).
    """
    return P.ellipe(m)


@special
def ellipkinc(phi: Operand, m: Operand) -> Tensor:
    """The incomplete elliptic integral of the first kind F(phi | m) (A&S 17.2.7), elementwise; NaN where m sin(phi)^2 >
    1.

    Derivatives by both arguments exist.

    Source:
        Carlson's RF by duplication (Numer. Algorithms 10 (1995) 13).
    """
    return P.ellipkinc(phi, m, n=0)


@special
def ellipeinc(phi: Operand, m: Operand) -> Tensor:
    """The incomplete elliptic integral of the second kind E(phi | m) (A&S 17.2.9), elementwise; NaN where m sin(phi)^2
    > 1.

    Derivatives by both arguments exist.

    Source:
        Carlson's RF and RD by duplication (Numer. Algorithms 10 (1995) 13).
    """
    x, k = double(phi), double(m)
    return P.ellipkinc(x, k, n=0) - k * P.ellipdinc(x, k, n=0)


# -- Bessel functions of real order
# ----------------------------------------------------------------------------------------- Orders >= 0, arguments to
# 1e5 (J, Y) and 1e6; off by some 20 ulp, J and Y of their modulus. Derivatives: by the argument all, by the order two,
# off by 100 and 500 units of 2^-52 at most where orders are below 30 and arguments below 100: of J's and Y's modulus,
# and of I and K or their derivative, whichever is larger (dI/dv and dK/dv are small for small orders).
def _mirrored(name: str, order: Tensor, x: Tensor) -> Tracer:
    """A Bessel function that is even or odd in x for an integer order; NaN at x < 0 for others, which leaves no
    derivative by the order.
    """

    def rule(xs: Any, y: Any, ts: Any) -> Tracer | None:
        zero, one, nan = (filled(v, xs[1]) for v in (0.0, 1.0, _math.nan))
        return None if ts[0] is None else ts[0] * P.select(xs[1] < zero, nan, one)

    zero, half, nan = (filled(v, x) for v in (0.0, 0.5, _math.nan))
    common = order == x
    order, x = P.select(common, order, order), P.select(common, x, x)  # of one shape
    below = x < zero
    held = with_rule(lambda v, _: v, rule, order, x, name=f"{name}_order")
    value = getattr(P, name)(held, P.abs(x), n=0)
    whole = P.floor(order) == order
    pairs = order * half
    odd = P.floor(pairs) != pairs
    return P.select(below, P.select(whole, P.select(odd, -value, value), nan), value)


@special
def jv(v: Operand, z: Operand) -> Tensor:
    """The Bessel function J of real order v >= 0 (A&S 9.1), elementwise; for z < 0 integer orders alone.

    Source:
        N. Temme, J. Comput. Phys. 21 (1976) 343, and continued fractions. Derivatives: by z all, by v two.
    """
    return _mirrored("jv", v, z)


@special
def yv(v: Operand, z: Operand) -> Tensor:
    """The Bessel function Y of real order v >= 0 (A&S 9.1) for z > 0, elementwise; -inf at 0, NaN below.

    Source:
        N. Temme, J. Comput. Phys. 21 (1976) 343, and continued fractions. Derivatives: by z all, by v two.
    """
    return P.yv(v, z, n=0)


@special
def iv(v: Operand, z: Operand) -> Tensor:
    """The modified Bessel function I of real order v >= 0 (A&S 9.6), elementwise; for z < 0 integer orders alone.

    Source:
        A continued fraction and the Wronskian with K (A&S 9.6.15). Derivatives: by z all, by v two.
    """
    return _mirrored("iv", v, z)


@special
def ive(v: Operand, z: Operand) -> Tensor:
    """exp(-|z|) I_v(z), elementwise; see iv."""
    return _mirrored("ive", v, z)


@special
def kv(v: Operand, z: Operand) -> Tensor:
    """The modified Bessel function K of real order v >= 0 (A&S 9.6) for z > 0, elementwise; inf at 0, NaN below.

    Source:
        N. Temme, J. Comput. Phys. 19 (1975) 324, and an integral (A&S 9.6.24). Derivatives: by z all, by v two.
    """
    return P.kv(v, z, n=0)


@special
def kve(v: Operand, z: Operand) -> Tensor:
    """exp(z) K_v(z), elementwise; see kv."""
    return P.kve(v, z, n=0)


# -- hypergeometric functions
# -------------------------------------------------------------------------------------------------
@special
def hyp1f1(a: Operand, b: Operand, x: Operand) -> Tensor:
    """Kummer's confluent hypergeometric function 1F1(a; b; x) (DLMF 13.2.2) of real arguments, elementwise.

    Off by 3 ulp at most for |a|, |b| <= 20, and by 40 ulp to 30; NaN where more than 2^-45 would be lost to
    cancellation, relative to what x's own rounding does, which begins at 30. Where b is 0 or a negative integer: the
    polynomial if a is one too and >= b, else inf.
    Derivatives: by x all, by a and b two.

    Source:
        The series in double words, Kummer's transformation for x < 0 (DLMF 13.2.39), the asymptotic series far out
        (DLMF 13.7.2).
    """
    return P.hyp1f1(a, b, x, n=("", 0))


@special
def hyp2f1(a: Operand, b: Operand, c: Operand, x: Operand) -> Tensor:
    """Gauss's hypergeometric function 2F1(a, b; c; x) (DLMF 15.2.1) of real arguments and x <= 1, elementwise.

    Off by 1 ulp at most for |a|, |b|, |c| <= 10, also close to 1, at large negative x, and where c - a - b is an
    integer. NaN where more than 2^-45 would be lost to cancellation (one point in 250 to 20), and for x > 1 but for
    polynomials. At 1 infinite where c - a - b <= 0. Where c is 0 or a negative integer: the polynomial if a or b is one
    too and >= c, else inf. Derivatives: by x all, by a, b, c two.

    Source:
        The transformations of DLMF 15.8.1, the series and steps of Taylor's series for the differential equation, in
        double words.
    """
    return P.hyp2f1(a, b, c, x, n=("", 0))


# -- Lambert, Owen, Voigt
# -------------------------------------------------------------------------------------------------
@special
def lambertw(z: Tensor, k: int = 0) -> Tensor:
    """Lambert's W, the solution of w exp(w) = z for real z, elementwise.

    Args:
        z: real; NaN below -1/e.
        k: the branch, 0 (w >= -1) or -1 (w <= -1, for z < 0). The result is real, where SciPy's is complex.

    Source:
        R. Corless et al., Adv. Comput. Math. 5 (1996) 329.
    """
    if k not in (0, -1):
        raise ValueError(f"lambertw(): 'k' must be 0 or -1, the real branches; found {k}")
    return P.lambertw(z) if k == 0 else P.lambertw_1(z)


@special
def owens_t(h: Operand, a: Operand) -> Tensor:
    """Owen's T, the integral from 0 to a of exp(-h^2 (1 + x^2) / 2) / (1 + x^2) dx / (2 pi), elementwise.

    Source:
        D. Owen, Ann. Math. Stat. 27 (1956) 1075; Gauss and Legendre's rule of 32 nodes.
    """
    return P.owens_t(h, a, n=0)


@special
def voigt_profile(x: Operand, sigma: Operand, gamma: Operand) -> Tensor:
    """The convolution of a normal density of deviation sigma and a Cauchy density of half width gamma >= 0,
    elementwise.

    It is Re w((x + i gamma) / (sigma sqrt 2)) / (sigma sqrt(2 pi)), w the Faddeeva function (DLMF 7.19.3 and 7.2.3).

    Source:
        M. Al Azah & S. Chandler-Wilde, SIAM J. Numer. Anal. 59 (2021) 2346.
    """
    x, sigma, gamma = double(x), double(sigma), double(gamma)
    zero = filled(0.0, x)
    sharp = sigma == zero
    width = P.select(sharp, 1.0, sigma) * filled(_math.sqrt(2.0), x)
    smooth = P.faddeeva(x / width, gamma / width, n=0) / (width * filled(_math.sqrt(_math.pi), x))
    cauchy = gamma / ((x * x + gamma * gamma) * filled(_math.pi, x))
    return P.select(sharp, cauchy, smooth)
