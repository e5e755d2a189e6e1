# Made by `python tools/stubs.py` from the operator table; do not edit.
# ruff: noqa
from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from builtins import type as _type
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Self, TypeAlias, overload

from rushlight import return_types as _return_types
from rushlight.core.dtypes import dtype as _dtype
from rushlight.core.dtypes import layout as _layout
from rushlight.core.dtypes import memory_format as _memory_format
from rushlight.core.tensor import Size, Tensor
from rushlight.core.tensor import device as _device
from rushlight.operators.random.generators import Generator as _Generator

_Number: TypeAlias = _complex  # int, float and bool are taken for a complex

def airy_ai(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Airy's function Ai (A&S 10.4), elementwise; 1.4 ulp, close to its zeros above -16 too."""

def bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function J of order 0 (A&S 9.1), elementwise; 1.9 ulp, close to its zeros below 32 too."""

def bessel_j1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function J of order 1 (A&S 9.1), elementwise; 1.9 ulp, close to its zeros below 32 too."""

def bessel_y0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function Y of order 0 (A&S 9.1); -inf at 0, NaN below, elementwise; 1.9 ulp, close to its zeros below
    32 too.
    """

def bessel_y1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function Y of order 1 (A&S 9.1); -inf at 0, NaN below, elementwise; 1.9 ulp, close to its zeros below
    32 too.
    """

def beta(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The beta function B(input, other) of positive arguments (A&S 6.2), elementwise; NaN for negative ones."""

def betainc(a: Tensor | _Number, b: Tensor | _Number, x: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The regularized incomplete beta function I_x(a, b) (A&S 26.5), elementwise."""

def betaincinv(a: Tensor | _Number, b: Tensor | _Number, y: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The x with betainc(a, b, x) = y, elementwise, by Newton's method in a bracket; derivatives by all three arguments
    exist.
    """

def betaln(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """log |B(input, other)|, elementwise; accurate where an argument is large, which a sum of lgamma is not (DiDonato &
    Morris 1992).
    """

def chebyshev_polynomial_t(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev's polynomial of the first kind T_n(input), elementwise, by its recurrence (DLMF 18.9); 0 for n < 0."""

def chebyshev_polynomial_u(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev's polynomial of the second kind U_n(input), elementwise, by its recurrence (DLMF 18.9); 0 for n < 0."""

def chebyshev_polynomial_v(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev's polynomial of the third kind V_n(input), elementwise, by its recurrence (DLMF 18.9); 0 for n < 0."""

def chebyshev_polynomial_w(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev's polynomial of the fourth kind W_n(input), elementwise, by its recurrence (DLMF 18.9); 0 for n < 0."""

def ellipe(m: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complete elliptic integral of the second kind E(m) of the parameter m <= 1 (A&S 17.3.3), elementwise."""

def ellipeinc(phi: Tensor | _Number, m: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The incomplete elliptic integral of the second kind E(phi | m) (A&S 17.2.9), elementwise; NaN where m sin(phi)^2
    > 1.
    """

def ellipk(m: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complete elliptic integral of the first kind K(m) of the parameter m <= 1 (A&S 17.3.1), elementwise."""

def ellipkinc(phi: Tensor | _Number, m: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The incomplete elliptic integral of the first kind F(phi | m) (A&S 17.2.7), elementwise; NaN where m sin(phi)^2 >
    1.
    """

def ellipkm1(p: Tensor, *, out: Tensor | None = None) -> Tensor:
    """K(1 - p), accurate for small p, elementwise."""

def entr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The entropy -x log x, 0 at 0 and -inf below, elementwise; integers become the default float dtype."""

def erfcx(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(x^2) erfc(x), which does not underflow, elementwise; 0.6 ulp."""

def gammainccinv(a: Tensor | _Number, y: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The x with gammaincc(a, x) = y, elementwise, by Newton's method in a bracket; derivatives by both arguments
    exist.
    """

def gammaincinv(a: Tensor | _Number, y: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The x with gammainc(a, x) = y, elementwise, by Newton's method in a bracket; derivatives by both arguments exist.
    """

def hermite_polynomial_h(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The physicist's Hermite polynomial H_n(input), elementwise, by its recurrence (DLMF 18.9); 0 for n < 0."""

def hermite_polynomial_he(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The probabilist's Hermite polynomial He_n(input), elementwise, by its recurrence (DLMF 18.9); 0 for n < 0."""

def hyp1f1(a: Tensor | _Number, b: Tensor | _Number, x: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Kummer's confluent hypergeometric function 1F1(a; b; x) (DLMF 13.2.2) of real arguments, elementwise."""

def hyp2f1(
    a: Tensor | _Number, b: Tensor | _Number, c: Tensor | _Number, x: Tensor | _Number, *, out: Tensor | None = None,
) -> Tensor:
    """Gauss's hypergeometric function 2F1(a, b; c; x) (DLMF 15.2.1) of real arguments and x <= 1, elementwise."""

def i0e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(-|x|) I0(x), elementwise; 0.8 ulp."""

def i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function I of order 1 (A&S 9.6), elementwise; 0.7 ulp."""

def i1e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(-|x|) I1(x), elementwise; 0.8 ulp."""

def iv(v: Tensor | _Number, z: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function I of real order v >= 0 (A&S 9.6), elementwise; for z < 0 integer orders alone."""

def ive(v: Tensor | _Number, z: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """exp(-|z|) I_v(z), elementwise; see iv."""

def jv(v: Tensor | _Number, z: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function J of real order v >= 0 (A&S 9.1), elementwise; for z < 0 integer orders alone."""

def kv(v: Tensor | _Number, z: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function K of real order v >= 0 (A&S 9.6) for z > 0, elementwise; inf at 0, NaN below."""

def kve(v: Tensor | _Number, z: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """exp(z) K_v(z), elementwise; see kv."""

def laguerre_polynomial_l(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The Laguerre polynomial L_n(input), elementwise, by its recurrence (DLMF 18.9); 0 for n < 0."""

def lambertw(z: Tensor, k: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """Lambert's W, the solution of w exp(w) = z for real z, elementwise."""

def legendre_polynomial_p(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The Legendre polynomial P_n(input), elementwise, by its recurrence (DLMF 18.9); 0 for n < 0."""

def log_ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log(ndtr(x)), finite in the lower tail, elementwise."""

def modified_bessel_i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function I of order 0, i0 by its longer name, elementwise."""

def modified_bessel_i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function I of order 1, i1 by its longer name, elementwise."""

def modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function K of order 0 (A&S 9.6); infinite at 0, NaN below, elementwise; 0.6 ulp."""

def modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function K of order 1 (A&S 9.6); infinite at 0, NaN below, elementwise; 0.6 ulp."""

def ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The integral of the standard normal density from -inf to x, elementwise; 0.8 ulp, in the lower tail too."""

def ndtri(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ndtr: the x with ndtr(x) = input; infinite at 0 and 1, NaN outside, elementwise; 0.7 ulp."""

def owens_t(h: Tensor | _Number, a: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Owen's T, the integral from 0 to a of exp(-h^2 (1 + x^2) / 2) / (1 + x^2) dx / (2 pi), elementwise."""

def scaled_modified_bessel_k0(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(x) K0(x), elementwise; 0.6 ulp."""

def scaled_modified_bessel_k1(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(x) K1(x), elementwise; 0.6 ulp."""

def shifted_chebyshev_polynomial_t(
    input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None,
) -> Tensor:
    """T_n(2 input - 1), Chebyshev's polynomial of the first kind on [0, 1], elementwise; 0 for n < 0."""

def shifted_chebyshev_polynomial_u(
    input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None,
) -> Tensor:
    """U_n(2 input - 1), Chebyshev's polynomial of the second kind on [0, 1], elementwise; 0 for n < 0."""

def shifted_chebyshev_polynomial_v(
    input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None,
) -> Tensor:
    """V_n(2 input - 1), Chebyshev's polynomial of the third kind on [0, 1], elementwise; 0 for n < 0."""

def shifted_chebyshev_polynomial_w(
    input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None,
) -> Tensor:
    """W_n(2 input - 1), Chebyshev's polynomial of the fourth kind on [0, 1], elementwise; 0 for n < 0."""

def spherical_bessel_j0(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The spherical Bessel function of order 0, sin(x) / x, 1 at 0 (A&S 10.1), elementwise; 1.5 ulp."""

def voigt_profile(
    x: Tensor | _Number, sigma: Tensor | _Number, gamma: Tensor | _Number, *, out: Tensor | None = None,
) -> Tensor:
    """The convolution of a normal density of deviation sigma and a Cauchy density of half width gamma >= 0,
    elementwise.
    """

def xlog1py(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input * log1p(other), and 0 where input is 0 (NaN where other is NaN), elementwise; integers become the default
    float dtype.
    """

def yv(v: Tensor | _Number, z: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function Y of real order v >= 0 (A&S 9.1) for z > 0, elementwise; -inf at 0, NaN below."""

def zeta(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Hurwitz's zeta function, the sum over n >= 0 of (other + n)^-input, elementwise."""
