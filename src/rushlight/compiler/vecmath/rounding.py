"""Functions whose results are exact: roundings, copysign, nextafter and fmod, as LLVM IR.

Source of the special values: ISO C99 Annex F.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from rushlight.compiler.llvm.control import Turns
from rushlight.compiler.vecmath.base import F, I, fma


def _of_llvm(name: str) -> Callable[[F], F]:
    return lambda x: x.k.call(name, x)


floor, ceil, trunc, round_even = (_of_llvm(name) for name in ("floor", "ceil", "trunc", "rint"))


def copysign(x: F, y: F) -> F:
    """The magnitude of x with the sign of y."""
    return x.signed_as(y)


def nextafter(x: F, y: F) -> F:
    """The number next to x in the direction of y."""
    raw = x.as_int()
    away = (y > x) ^ (x < 0.0)  # does |x| grow?
    step = away.select(raw + 1, raw - 1)
    least = x.k.i(1).as_float().signed_as(y)
    result = x.eq(0.0).select(least, step.as_float())
    result = x.eq(y).select(y, result)
    return (x.is_nan() | y.is_nan()).select(x + y, result)


def fmod(x: F, y: F) -> F:
    """x - n y exactly, with n the integer x/y without its fraction; the sign is x's.

    Each turn of the loop subtracts q (|y| 2^j) with a quotient q of at most mantissa bits, so the fused subtraction is
    exact; j is as small as that allows, and the loop ends when it was 0 in every lane: most often after one turn.
    """
    k = x.k
    r, d = abs(x), abs(y)
    # finite lanes only: anything else leaves the loop at once
    proper = (r < math.inf) & (d > 0.0) & (d < math.inf)
    r, d = proper.select(r, 0.0), proper.select(d, 1.0)
    least = _exponent(d)
    turns = Turns(k.b, r.v)
    r = F(k, turns.carried[0])
    j = _exponent(r) - least - (k.mantissa - 2)
    j = (j < 0).select(0, j)
    quarter = j.lshr(2)  # for a subnormal d even 2^(j/2) may overflow
    factor = k.pow2(quarter)
    scaled = d * factor * factor * factor * k.pow2(j - quarter * 3)
    q = k.call("trunc", r / scaled)
    rest = fma(-q, scaled, r)
    rest = (rest < 0.0).select(rest + scaled, rest)  # the rounded quotient was one too large
    turns.close(k.any(j.ne(0)), rest.v)
    result = rest.signed_as(x)
    small = (abs(x) < math.inf) & abs(y).eq(math.inf)
    result = small.select(x, result)
    return (proper | small).select(result, (x.is_nan() | y.is_nan()).select(x + y, math.nan))


def _exponent(x: F) -> I:
    """The exponent of |x|, of a subnormal x too (0 gives a very small one)."""
    k = x.k
    small = x < k.tiny
    raw = small.select(x * 2.0 ** (k.mantissa + 1), x).as_int().lshr(k.mantissa)
    return raw - small.select(k.i(k.mantissa + 1), k.i(0))


FUNCTIONS: dict[str, Callable[..., F]] = {
    "floor": floor, "ceil": ceil, "trunc": trunc, "round": round_even, "copysign": copysign, "nextafter": nextafter,
    "fmod": fmod,
}  # fmt: skip
