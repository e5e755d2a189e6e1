"""Special functions: Bessel's and Airy's, the incomplete gamma function, zeta, the normal distribution, orthogonal
polynomials.

The errors stated are the largest met against mpmath, in units in the last place of float64; float32 is computed in
double precision, and is off by 0.51 at most. docs/accuracy.md has the table. Formulas: M. Abramowitz & I. Stegun,
"Handbook of Mathematical Functions" (1964); the NIST Digital Library of Mathematical Functions (DLMF).
"""

from __future__ import annotations

import math as _math
from collections.abc import Sequence
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.operators.table.body import double, wide, with_rule
from rushlight.operators.table.pointwise import pointwise
from rushlight.operators.table.tracer import P, Tracer, filled
from rushlight.operators.table.types import Operand


def special(fn: Any = None, **options: Any) -> Any:
    """`@pointwise` in the namespace special: floating point results, no method, no in-place variant."""
    return pointwise(
        **{"promote": "float", "refuse": "c", "namespace": "special", "method": False, "inplace": False, **options}
    )(fn)


# -- the normal distribution and the error function
# -----------------------------------------------------------------------
@special
def entr(input: Tensor) -> Tensor:
    """The entropy -x log x, 0 at 0 and -inf below, elementwise; integers become the default float dtype."""

    def body(v: Tracer) -> Tracer:
        zero = filled(0.0, v)
        positive = zero < v
        below = P.select(P.isnan(v), v, P.select(v == zero, zero, filled(-_math.inf, v)))
        safe = P.select(positive, v, 1.0)
        return P.select(positive, -(safe * P.log(safe)), below)

    def rule(xs: Sequence[Tracer], y: Any, ts: Sequence[Tracer]) -> Tracer:
        # of -x log x as it stands: infinite at 0, where the branches' own derivative would be 0
        return ts[0] * -(P.log(xs[0]) + 1.0)

    return with_rule(body, rule, double(input), name="entr")


@special
def erfcx(input: Tensor) -> Tensor:
    """exp(x^2) erfc(x), which does not underflow, elementwise; 0.6 ulp.

    Source:
        M. Shepherd & J. Laframboise, Math. Comp. 36 (1981) 249.
    """
    return P.erfcx(input)


@special
def ndtr(input: Tensor) -> Tensor:
    """The integral of the standard normal density from -inf to x, elementwise; 0.8 ulp, in the lower tail too."""
    return P.ndtr(input)


@special
def ndtri(input: Tensor) -> Tensor:
    """The inverse of ndtr: the x with ndtr(x) = input; infinite at 0 and 1, NaN outside, elementwise; 0.7 ulp."""
    return P.ndtri(input)


@special
def log_ndtr(input: Tensor) -> Tensor:
    """log(ndtr(x)), finite in the lower tail, elementwise.

    Below -1 it is log(erfcx(-x / sqrt 2) / 2) - x^2/2, above log1p(-ndtr(-x)).
    """

    def body(v: Tracer) -> Tracer:
        root, half = filled(_math.sqrt(0.5), v), filled(0.5, v)
        low = v < -1.0
        down = P.select(low, v, -1.0)
        tail = P.log(P.erfcx(-(down * root)) * half) - down * half * down
        up = P.select(low, 0.0, v)
        tail = P.select(down == filled(-_math.inf, v), down, tail)
        return P.select(low, tail, P.log1p(-P.ndtr(-up)))

    def rule(xs: Sequence[Tracer], y: Any, ts: Sequence[Tracer]) -> Tracer:
        # the density over the integral is sqrt(2/pi) / erfcx(-x / sqrt 2): no quotient of two small numbers
        return ts[0] * (filled(_math.sqrt(2 / _math.pi), xs[0]) / P.erfcx(xs[0] * filled(-_math.sqrt(0.5), xs[0])))

    return with_rule(body, rule, double(input), name="log_ndtr")


@special
def xlog1py(input: Operand, other: Operand) -> Tensor:
    """input * log1p(other), and 0 where input is 0 (NaN where other is NaN), elementwise; integers become the default
    float dtype.
    """
    zero, one = filled(0.0, input), filled(1.0, other)
    unsafe = (other <= -one) | (other == filled(_math.inf, other))
    settled = (input == zero) & unsafe
    return P.mul(input, P.log1p(P.select(settled, zero, other)))


# -- Bessel functions
# -----------------------------------------------------------------------------------------------------
@pointwise(promote="float", refuse="c")
def i0(input: Tensor) -> Tensor:
    """The modified Bessel function I of order 0 (A&S 9.6), elementwise; 0.7 ulp."""
    return P.i0(input)


@special
def i0e(input: Tensor) -> Tensor:
    """exp(-|x|) I0(x), elementwise; 0.8 ulp."""
    return P.i0e(input)


@special
def i1(input: Tensor) -> Tensor:
    """The modified Bessel function I of order 1 (A&S 9.6), elementwise; 0.7 ulp."""
    return P.i1(input)


@special
def i1e(input: Tensor) -> Tensor:
    """exp(-|x|) I1(x), elementwise; 0.8 ulp."""
    return P.i1e(input)


@special
def modified_bessel_i0(input: Tensor) -> Tensor:
    """The modified Bessel function I of order 0, elementwise: i0 by its longer name."""
    return P.i0(input)


@special
def modified_bessel_i1(input: Tensor) -> Tensor:
    """The modified Bessel function I of order 1, elementwise: i1 by its longer name."""
    return P.i1(input)


@special
def modified_bessel_k0(input: Tensor) -> Tensor:
    """The modified Bessel function K of order 0 (A&S 9.6); infinite at 0, NaN below, elementwise; 0.6 ulp."""
    return P.k0(input)


@special
def modified_bessel_k1(input: Tensor) -> Tensor:
    """The modified Bessel function K of order 1 (A&S 9.6); infinite at 0, NaN below, elementwise; 0.6 ulp."""
    return P.k1(input)


@special
def scaled_modified_bessel_k0(x: Tensor) -> Tensor:
    """exp(x) K0(x), elementwise; 0.6 ulp."""
    return P.k0e(x)


@special
def scaled_modified_bessel_k1(x: Tensor) -> Tensor:
    """exp(x) K1(x), elementwise; 0.6 ulp."""
    return P.k1e(x)


@special
def bessel_j0(input: Tensor) -> Tensor:
    """The Bessel function J of order 0 (A&S 9.1), elementwise; 1.9 ulp, close to its zeros below 32 too."""
    return P.j0(input)


@special
def bessel_j1(input: Tensor) -> Tensor:
    """The Bessel function J of order 1 (A&S 9.1), elementwise; 1.9 ulp, close to its zeros below 32 too."""
    return P.j1(input)


@special
def bessel_y0(input: Tensor) -> Tensor:
    """The Bessel function Y of order 0 (A&S 9.1); -inf at 0, NaN below, elementwise; 1.9 ulp, close to its zeros below
    32 too.
    """
    return P.y0(input)


@special
def bessel_y1(input: Tensor) -> Tensor:
    """The Bessel function Y of order 1 (A&S 9.1); -inf at 0, NaN below, elementwise; 1.9 ulp, close to its zeros below
    32 too.
    """
    return P.y1(input)


@special
def spherical_bessel_j0(x: Tensor) -> Tensor:
    """The spherical Bessel function of order 0, sin(x) / x, 1 at 0 (A&S 10.1), elementwise; 1.5 ulp.

    Its derivatives are combinations of spherical functions of higher orders, accurate near 0.
    """
    return P.spherical_j(x, n=0)


@special
def airy_ai(x: Tensor) -> Tensor:
    """Airy's function Ai (A&S 10.4), elementwise; 1.4 ulp, close to its zeros above -16 too."""
    return P.airy_ai(x)


# -- gamma and zeta
# -------------------------------------------------------------------------------------------------------
@pointwise(promote="float", refuse="c")
def igamma(input: Tensor, other: Tensor) -> Tensor:
    """The regularized lower incomplete gamma function P(input, other) (A&S 6.5.1), elementwise.

    Args:
        input: the shape a >= 0.
        other: x >= 0. Derivatives by both arguments exist, by the shape twice.

    Source:
        The power series for x < a + 1, the continued fraction above (A&S 6.5.29, 6.5.31); for shapes above 2e5 the
        uniform expansion (N. Temme, SIAM J. Math. Anal. 10 (1979) 757). The derivative by the shape is NaN for shapes
        above 1e10.
    """
    return P.igamma(input, other, n=0)


@pointwise(promote="float", refuse="c")
def igammac(input: Tensor, other: Tensor) -> Tensor:
    """The regularized upper incomplete gamma function Q(input, other) = 1 - P(input, other) (A&S 6.5.3), elementwise.

    Args:
        input: the shape a >= 0.
        other: x >= 0. Derivatives by both arguments exist, by the shape twice.
    """
    return P.igammac(input, other, n=0)


@special
def zeta(input: Operand, other: Operand) -> Tensor:
    """Hurwitz's zeta function, the sum over n >= 0 of (other + n)^-input, elementwise.

    Args:
        input: s > 1 (inf at 1, NaN below).
        other: q > 0; below 0 for an integer s alone; infinite at 0 and negative integers. Derivatives by both arguments
            exist, by s twice.

    Source:
        Euler-Maclaurin summation (A&S 23.1.30).
    """
    return P.zeta(input, other, n=0)


# -- orthogonal polynomials
# -----------------------------------------------------------------------------------------------
def _polynomial(x: Any, n: Any, family: str, shifted: bool = False) -> Tracer:
    v, degree = wide(x), wide(n)
    if shifted:
        v = v + v - 1.0
    return P.polynomial(v, degree, n=(family, 0))


@special
def chebyshev_polynomial_t(input: Operand, n: Operand) -> Tensor:
    """Chebyshev's polynomial of the first kind T_n(input), elementwise, by its recurrence (DLMF 18.9); 0 for n < 0."""
    return _polynomial(input, n, "chebyshev_t")


@special
def chebyshev_polynomial_u(input: Operand, n: Operand) -> Tensor:
    """Chebyshev's polynomial of the second kind U_n(input), elementwise, by its recurrence (DLMF 18.9); 0 for n < 0."""
    return _polynomial(input, n, "chebyshev_u")


@special
def chebyshev_polynomial_v(input: Operand, n: Operand) -> Tensor:
    """Chebyshev's polynomial of the third kind V_n(input), elementwise, by its recurrence (DLMF 18.9); 0 for n < 0."""
    return _polynomial(input, n, "chebyshev_v")


@special
def chebyshev_polynomial_w(input: Operand, n: Operand) -> Tensor:
    """Chebyshev's polynomial of the fourth kind W_n(input), elementwise, by its recurrence (DLMF 18.9); 0 for n < 0."""
    return _polynomial(input, n, "chebyshev_w")


@special
def shifted_chebyshev_polynomial_t(input: Operand, n: Operand) -> Tensor:
    """T_n(2 input - 1), Chebyshev's polynomial of the first kind on [0, 1], elementwise; 0 for n < 0."""
    return _polynomial(input, n, "chebyshev_t", shifted=True)


@special
def shifted_chebyshev_polynomial_u(input: Operand, n: Operand) -> Tensor:
    """U_n(2 input - 1), Chebyshev's polynomial of the second kind on [0, 1], elementwise; 0 for n < 0."""
    return _polynomial(input, n, "chebyshev_u", shifted=True)


@special
def shifted_chebyshev_polynomial_v(input: Operand, n: Operand) -> Tensor:
    """V_n(2 input - 1), Chebyshev's polynomial of the third kind on [0, 1], elementwise; 0 for n < 0."""
    return _polynomial(input, n, "chebyshev_v", shifted=True)


@special
def shifted_chebyshev_polynomial_w(input: Operand, n: Operand) -> Tensor:
    """W_n(2 input - 1), Chebyshev's polynomial of the fourth kind on [0, 1], elementwise; 0 for n < 0."""
    return _polynomial(input, n, "chebyshev_w", shifted=True)


@special
def hermite_polynomial_h(input: Operand, n: Operand) -> Tensor:
    """The physicist's Hermite polynomial H_n(input), elementwise, by its recurrence (DLMF 18.9); 0 for n < 0."""
    return _polynomial(input, n, "hermite_h")


@special
def hermite_polynomial_he(input: Operand, n: Operand) -> Tensor:
    """The probabilist's Hermite polynomial He_n(input), elementwise, by its recurrence (DLMF 18.9); 0 for n < 0."""
    return _polynomial(input, n, "hermite_he")


@special
def laguerre_polynomial_l(input: Operand, n: Operand) -> Tensor:
    """The Laguerre polynomial L_n(input), elementwise, by its recurrence (DLMF 18.9); 0 for n < 0."""
    return _polynomial(input, n, "laguerre_l")


@special
def legendre_polynomial_p(input: Operand, n: Operand) -> Tensor:
    """The Legendre polynomial P_n(input), elementwise, by its recurrence (DLMF 18.9); 0 for n < 0."""
    return _polynomial(input, n, "legendre_p")
