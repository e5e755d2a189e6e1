"""Special functions: a row each, with the derivative; their code is in compiler/vecmath_special, vecmath_bessel and vecmath_gamma.

Derivatives: Abramowitz & Stegun 7.1.19, 7.1.20 (error functions), 9.1.28, 9.1.30, 9.6.27, 9.6.28 (Bessel functions), 10.1.21
(spherical ones), 10.4.1 (Airy's equation), 6.5.25 (the incomplete gamma function).
"""
# mypy: disable-error-code="override"
# (the rules name the parameters of their primitive, where the base class says **params)
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.prims.base import ShapeRule, check, register
from rushlight.prims.expr import Expr, f
from rushlight.prims.pointwise import REAL_FLOAT, Derivative, Pointwise
from rushlight.program.ir import Primitive, Var

NAMES: set[str] = set()
"""Every primitive of this file: expensive, and too much code for a group of vectors."""


def _special(name: str, *derivatives: Derivative) -> Primitive:
    NAMES.add(name)
    return register(Pointwise(name, len(derivatives), REAL_FLOAT, derivatives))


class Parametric(Pointwise):
    """A function with a static parameter n: an int, or a tuple that ends in one."""

    def __init__(self, name: str, *derivatives: Derivative) -> None:
        super().__init__(name, len(derivatives), REAL_FLOAT, derivatives)
        NAMES.add(name)

    def shape(self, *inputs: Var, **params: Any) -> ShapeRule:
        n = params["n"]
        order = n[-1] if isinstance(n, tuple) else n
        check(isinstance(order, int) and order >= 0, self, lambda: f"expected an order n >= 0, got {n}")
        return super().shape(*inputs)


def _over(y: Expr, x: Expr, limit: float) -> Expr:
    """y / x, and at x = 0 the limit."""
    zero = x.equals(0.0)
    return f.select(zero, limit, y / f.select(zero, 1.0, x))


def _gaussian(x: Expr) -> Expr:
    return f.exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi))


def _igamma_by_a(sign: float) -> Derivative:
    def rule(a: Expr, x: Expr, y: Expr, n: int) -> Expr:
        if n == 2:
            raise NotImplementedError("igamma(): expected at most two derivatives by the first argument; the third is not implemented")
        return f.igamma(a, x, n=n + 1) * sign
    return rule


def _igamma_by_x(sign: float) -> Derivative:
    def rule(a: Expr, x: Expr, y: Expr, n: int) -> Expr:
        density = f.exp(f.select(a.equals(1.0), 0.0, (a - 1.0) * f.log(x)) - x - f.lgamma(a)) * sign
        if n == 0:
            return density
        slope = f.log(x) - f.digamma(a)
        return density * slope if n == 1 else density * (slope * slope - f.polygamma(a, n=1))
    return rule


def _zeta_by_s(s: Expr, q: Expr, y: Expr, n: int) -> Expr:
    if n == 2:
        raise NotImplementedError("zeta(): expected at most two derivatives by the first argument; the third is not implemented")
    return f.zeta(s, q, n=n + 1)


def _zeta_by_q(s: Expr, q: Expr, y: Expr, n: int) -> Expr:
    total = -s * f.zeta(s + 1.0, q, n=n)
    return total - f.zeta(s + 1.0, q, n=n - 1) * float(n) if n else total


def _polynomial_by_x(x: Expr, degree: Expr, y: Expr, n: Sequence[Any]) -> Expr:
    return f.polynomial(x, degree, n=(n[0], n[1] + 1))


def _spherical(x: Expr, y: Expr, n: int) -> Expr:
    if n == 0:
        return -f.spherical_j(x, n=1)
    return (f.spherical_j(x, n=n - 1) * float(n) - f.spherical_j(x, n=n + 1) * (n + 1.0)) * (1 / (2 * n + 1))


erfcx = _special("erfcx", lambda x, y: x * y * 2.0 - 2 / math.sqrt(math.pi))
ndtr = _special("ndtr", lambda x, y: _gaussian(x))
ndtri = _special("ndtri", lambda p, y: math.sqrt(2 * math.pi) * f.exp(y * y * 0.5))
i0 = _special("i0", lambda x, y: f.i1(x))
i1 = _special("i1", lambda x, y: f.i0(x) - _over(y, x, 0.5))
i0e = _special("i0e", lambda x, y: f.i1e(x) - f.sign(x) * y)
i1e = _special("i1e", lambda x, y: f.i0e(x) - _over(y, x, 0.5) - f.sign(x) * y)
k0 = _special("k0", lambda x, y: -f.k1(x))
k1 = _special("k1", lambda x, y: -f.k0(x) - y / x)
k0e = _special("k0e", lambda x, y: y - f.k1e(x))
k1e = _special("k1e", lambda x, y: y - f.k0e(x) - y / x)
j0 = _special("j0", lambda x, y: -f.j1(x))
j1 = _special("j1", lambda x, y: f.j0(x) - _over(y, x, 0.5))
y0 = _special("y0", lambda x, y: -f.y1(x))
y1 = _special("y1", lambda x, y: f.y0(x) - y / x)
airy_ai = _special("airy_ai", lambda x, y: f.airy_ai_prime(x))
airy_ai_prime = _special("airy_ai_prime", lambda x, y: x * f.airy_ai(x))

# spherical_j(x; n): the spherical Bessel function of order n. polynomial(x, degree; n = (family, order)): an orthogonal
# polynomial, or its derivative of that order. zeta(s, q; n): the n-th derivative by s. igamma, igammac(a, x; n): the n-th derivative by a of the regularized ones.
spherical_j = register(Parametric("spherical_j", _spherical))
polynomial = register(Parametric("polynomial", _polynomial_by_x, lambda *_, **params: None))
igamma = register(Parametric("igamma", _igamma_by_a(1.0), _igamma_by_x(1.0)))
igammac = register(Parametric("igammac", _igamma_by_a(-1.0), _igamma_by_x(-1.0)))
zeta = register(Parametric("zeta", _zeta_by_s, _zeta_by_q))
