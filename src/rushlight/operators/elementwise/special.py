"""Special functions: Bessel's and Airy's, the incomplete gamma function, zeta, the normal distribution, orthogonal
polynomials.

The errors stated are the largest met against mpmath, in units in the last place of float64; float32 is computed in
double precision, and is off by 0.51 at most. docs/accuracy.md has the table. Formulas: M. Abramowitz & I. Stegun,
"Handbook of Mathematical Functions" (1964); the NIST Digital Library of Mathematical Functions (DLMF).
"""

from __future__ import annotations

import math as _math
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor
from rushlight.operators.elementwise.math import times_logarithm
from rushlight.operators.table.body import double, wide, with_rule
from rushlight.operators.table.pointwise import pointwise
from rushlight.operators.table.tracer import P, Tracer, filled
from rushlight.operators.table.types import Operand


def special(fn: Any = None, **options: Any) -> Operator[Tensor]:
    """`@pointwise` in the namespace special: floating point results, no method, no in-place variant."""
    return pointwise(
        **{"promote": "float", "refuse": "c", "namespace": "special", "method": False, "inplace": False, **options}
    )(fn)


def _of_primitive(name: str, what: str, error: str = "", primitive: str = "") -> None:
    """An operator that is one primitive; error: the largest met."""
    compute: Callable[[Tensor], Tensor] = getattr(P, primitive or name)

    def body(input: Tensor) -> Tensor:
        return compute(input)

    special(body, name=name, doc=f"{what}, elementwise{'; ' if error else ''}{error}.")


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


_of_primitive("ndtr", "The integral of the standard normal density from -inf to x", "0.8 ulp, in the lower tail too")
_of_primitive("ndtri", "The inverse of ndtr: the x with ndtr(x) = input; infinite at 0 and 1, NaN outside", "0.7 ulp")


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

    def ratio(x: Tracer) -> Tracer:
        # the density over the integral is sqrt(2/pi) / erfcx(-x / sqrt 2): no quotient of two small numbers
        found: Tracer = filled(_math.sqrt(2 / _math.pi), x) / P.erfcx(x * filled(-_math.sqrt(0.5), x))
        return found

    def steeper(xs: Sequence[Tracer], y: Any, ts: Sequence[Tracer]) -> Tracer:
        # (of the quotient the derivative is infinity times 0 where erfcx overflows, above 37)
        slope: Tracer = -(ts[0] * (y * (xs[0] + y)))
        return slope

    def rule(xs: Sequence[Tracer], y: Any, ts: Sequence[Tracer]) -> Tracer:
        return ts[0] * with_rule(ratio, steeper, xs[0], name="log_ndtr's slope")

    return with_rule(body, rule, double(input), name="log_ndtr")


@special
def xlog1py(input: Operand, other: Operand) -> Tensor:
    """input * log1p(other), and 0 where input is 0 (NaN where other is NaN), elementwise; integers become the default
    float dtype.
    """
    return times_logarithm(input, other, -1.0, "xlog1py")


# -- Bessel functions
# -----------------------------------------------------------------------------------------------------
@pointwise(promote="float", refuse="c")
def i0(input: Tensor) -> Tensor:
    """The modified Bessel function I of order 0 (A&S 9.6), elementwise; 0.7 ulp."""
    return P.i0(input)


_of_primitive("i1", "The modified Bessel function I of order 1 (A&S 9.6)", "0.7 ulp")
for _order in ("0", "1"):
    _of_primitive(f"i{_order}e", f"exp(-|x|) I{_order}(x)", "0.8 ulp")
    _of_primitive(
        f"modified_bessel_i{_order}",
        f"The modified Bessel function I of order {_order}, i{_order} by its longer name",
        primitive=f"i{_order}",
    )
    _of_primitive(
        f"modified_bessel_k{_order}",
        f"The modified Bessel function K of order {_order} (A&S 9.6); infinite at 0, NaN below",
        "0.6 ulp",
        f"k{_order}",
    )
    _of_primitive(
        f"bessel_j{_order}",
        f"The Bessel function J of order {_order} (A&S 9.1)",
        "1.9 ulp, close to its zeros below 32 too",
        f"j{_order}",
    )
    _of_primitive(
        f"bessel_y{_order}",
        f"The Bessel function Y of order {_order} (A&S 9.1); -inf at 0, NaN below",
        "1.9 ulp, close to its zeros below 32 too",
        f"y{_order}",
    )


def _scaled_k(order: int) -> None:
    compute: Callable[[Tensor], Tensor] = getattr(P, f"k{order}e")

    def body(x: Tensor) -> Tensor:
        return compute(x)

    special(body, name=f"scaled_modified_bessel_k{order}", doc=f"exp(x) K{order}(x), elementwise; 0.6 ulp.")


_scaled_k(0)
_scaled_k(1)


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
def _polynomial(name: str, what: str) -> None:
    """An orthogonal polynomial in `input`, of degree n; of a shifted one in 2 input - 1."""
    shifted = name.startswith("shifted_")
    family = name.removeprefix("shifted_").replace("_polynomial_", "_")

    def body(input: Operand, n: Operand) -> Tensor:
        x = wide(input)
        return P.polynomial(x + x - 1.0 if shifted else x, wide(n), n=(family, 0))

    special(
        body, name=name, doc=f"{what}, elementwise{'' if shifted else ', by its recurrence (DLMF 18.9)'}; 0 for n < 0."
    )


for _letter, _kind in (("t", "first"), ("u", "second"), ("v", "third"), ("w", "fourth")):
    _polynomial(
        f"chebyshev_polynomial_{_letter}", f"Chebyshev's polynomial of the {_kind} kind {_letter.upper()}_n(input)"
    )
    _polynomial(
        f"shifted_chebyshev_polynomial_{_letter}",
        f"{_letter.upper()}_n(2 input - 1), Chebyshev's polynomial of the {_kind} kind on [0, 1]",
    )
_polynomial("hermite_polynomial_h", "The physicist's Hermite polynomial H_n(input)")
_polynomial("hermite_polynomial_he", "The probabilist's Hermite polynomial He_n(input)")
_polynomial("laguerre_polynomial_l", "The Laguerre polynomial L_n(input)")
_polynomial("legendre_polynomial_p", "The Legendre polynomial P_n(input)")
