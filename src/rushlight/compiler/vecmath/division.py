"""Division of many numbers by one.

A processor divides a vector in as many cycles as it takes for some thirty multiplications. Where the divisor is the
same for many vectors, the nearest number to its reciprocal is found once; each quotient is then a product with one
correction by its exact residual, which rounds it as a division would (P. Markstein, IBM J. Res. Dev. 34 (1990) 111,
theorem 7; the product by a reciprocal in two words: N. Brisebarre, J.-M. Muller, S. Raina, IEEE Trans. Comput. 53
(2004) 1069). A quotient or residual that is not a normal number, an infinity and a NaN take the division itself,
behind a branch.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from rushlight.compiler.vecmath.base import F, fma


class Divisor(NamedTuple):
    """A divisor, and what its quotients need.

    Attributes: value: the divisor; inverse, rest: its reciprocal in two words, the first of which is the nearest
    number; least: the smallest quotient whose residual is exact; zero: the dividend whose quotient is its product with
    the reciprocal. Of a divisor that is too small or too large for this, or none, least is an infinity and zero NaN:
    all its quotients are divided.
    """

    value: F
    inverse: F
    rest: F
    least: F
    zero: F

    def map(self, change: Callable[[F], F]) -> Divisor:
        """Each of them changed."""
        return Divisor(*(change(x) for x in self))


def divisor(y: F) -> Divisor:
    """What is known of a divisor."""
    k = y.k
    size, inverse = abs(y), 1.0 / y
    rest = fma(-y, inverse, 1.0) * inverse
    far = 2.0 ** (500 if k.wide else 60)
    fit = (size >= 1.0 / far) & (size <= far)
    # The residual is a multiple of 2^-47 (2^-105) of a dividend, and that must not be less than the least number.
    least = abs(inverse).at_least(1.0) * 2.0 ** (-960 if k.wide else -100)
    return Divisor(y, inverse, rest, fit.select(least, math.inf), fit.select(0.0, math.nan))


def quotient(x: F, y: Divisor) -> F:
    """x / y, with the bits of the division."""
    near = fma(x, y.inverse, x * y.rest)  # one of the two numbers around the quotient, or the quotient
    found = fma(fma(-y.value, near, x), y.inverse, near)
    zero = x.eq(y.zero)
    found = zero.select(x * y.inverse, found)  # with its sign, which the residual of a zero has not
    return x.k.where_any(~(zero | (abs(found) >= y.least)), found, lambda: x / y.value)
