"""Special functions: a row each, with the derivative; their code is in compiler/vecmath/.

Derivatives: Abramowitz & Stegun 7.1.19, 7.1.20 (error functions), 9.1.28, 9.1.30, 9.6.27, 9.6.28 (Bessel functions),
10.1.21 (spherical ones), 10.4.1 (Airy's equation), 6.5.25 (the incomplete gamma function).
"""

# mypy: disable-error-code="override"
# (the rules name the parameters of their primitive, where the base class says **params)
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.prims.base import check, p, register
from rushlight.prims.pointwise import REAL_FLOAT, Derivative, Pointwise
from rushlight.prims.types import ShapeRule
from rushlight.program.costs import CALLED
from rushlight.program.ir import PRIMS, Primitive, Var


def _special(name: str, *derivatives: Derivative) -> Primitive:
    return register(Pointwise(name, len(derivatives), REAL_FLOAT, derivatives, cost=CALLED))


class Parametric(Pointwise):
    """A function with a static parameter n: an int, or a tuple that ends in one; mostly the order of a derivative."""

    def __init__(self, name: str, *derivatives: Derivative) -> None:
        super().__init__(name, len(derivatives), REAL_FLOAT, derivatives, cost=CALLED)

    def shape(self, *inputs: Var, **params: Any) -> ShapeRule:
        n = params["n"]
        order = n[-1] if isinstance(n, tuple) else n
        check(isinstance(order, int) and order >= 0, self, lambda: f"expected an order n >= 0; found {n}")
        return super().shape(*inputs)


def _over(y: Var, x: Var, limit: float) -> Var:
    """y / x, and at x = 0 the limit."""
    zero = p.eq(x, 0.0)
    return p.select(zero, limit, y / p.select(zero, 1.0, x))


def _gaussian(x: Var) -> Var:
    return p.exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi))


def _igamma_by_a(sign: float) -> Derivative:
    def rule(a: Var, x: Var, y: Var, n: int) -> Var:
        if n == 2:
            raise NotImplementedError(
                "igamma(): expected at most two derivatives by the first argument; the third derivative is not "
                "implemented"
            )
        return p.igamma(a, x, n=n + 1) * sign

    return rule


def _igamma_by_x(sign: float) -> Derivative:
    def rule(a: Var, x: Var, y: Var, n: int) -> Var:
        density = p.exp(p.select(p.eq(a, 1.0), 0.0, (a - 1.0) * p.log(x)) - x - p.lgamma(a)) * sign
        if n == 0:
            return density
        slope = p.log(x) - p.digamma(a)
        return density * slope if n == 1 else density * (slope * slope - p.polygamma(a, n=1))

    return rule


def _zeta_by_s(s: Var, q: Var, y: Var, n: int) -> Var:
    if n == 2:
        raise NotImplementedError(
            "zeta(): expected at most two derivatives by the first argument; the third derivative is not implemented"
        )
    return p.zeta(s, q, n=n + 1)


def _zeta_by_q(s: Var, q: Var, y: Var, n: int) -> Var:
    total = -s * p.zeta(s + 1.0, q, n=n)
    return total - p.zeta(s + 1.0, q, n=n - 1) * float(n) if n else total


def _beta_slope(a: Var, b: Var) -> Var:
    return p.digamma(a) - p.digamma(a + b)


def _beta_density(a: Var, b: Var, x: Var) -> Var:
    return p.exp((a - 1.0) * p.log(x) + (b - 1.0) * p.log1p(-x) - p.betaln(a, b, n=0))


def _gamma_density(a: Var, x: Var) -> Var:
    return p.exp((a - 1.0) * p.log(x) - x - p.lgamma(a))


def _betainc_by(shape: str) -> Derivative:
    def rule(a: Var, b: Var, x: Var, y: Var, n: tuple[str, int]) -> Var:
        if n[1]:
            raise NotImplementedError(
                "betainc(): expected at most one derivative by the first two arguments; the second derivative is not "
                "implemented"
            )
        return p.betainc(a, b, x, n=(shape, 1))

    return rule


def _betainc_by_x(a: Var, b: Var, x: Var, y: Var, n: tuple[str, int]) -> Var:
    density = _beta_density(a, b, x)
    if n[0] == "a":
        return density * (p.log(x) - _beta_slope(a, b))
    return density * (p.log1p(-x) - _beta_slope(b, a)) if n[0] == "b" else density


def _betaincinv_by(shape: str) -> Derivative:
    return lambda a, b, q, y, n: -p.betainc(a, b, y, n=(shape, 1)) / _beta_density(a, b, y)


def _polynomial_by_x(x: Var, degree: Var, y: Var, n: Sequence[Any]) -> Var:
    return p.polynomial(x, degree, n=(n[0], n[1] + 1))


def _spherical(x: Var, y: Var, n: int) -> Var:
    if n == 0:
        return -p.spherical_j(x, n=1)
    return (p.spherical_j(x, n=n - 1) * float(n) - p.spherical_j(x, n=n + 1) * (n + 1.0)) * (1 / (2 * n + 1))


erfcx = _special("erfcx", lambda x, y: x * y * 2.0 - 2 / math.sqrt(math.pi))
ndtr = _special("ndtr", lambda x, y: _gaussian(x))
ndtri = _special("ndtri", lambda q, y: math.sqrt(2 * math.pi) * p.exp(y * y * 0.5))
i0 = _special("i0", lambda x, y: p.i1(x))
i1 = _special("i1", lambda x, y: p.i0(x) - _over(y, x, 0.5))
i0e = _special("i0e", lambda x, y: p.i1e(x) - p.sign(x) * y)
i1e = _special("i1e", lambda x, y: p.i0e(x) - _over(y, x, 0.5) - p.sign(x) * y)
k0 = _special("k0", lambda x, y: -p.k1(x))
k1 = _special("k1", lambda x, y: -p.k0(x) - y / x)
k0e = _special("k0e", lambda x, y: y - p.k1e(x))
k1e = _special("k1e", lambda x, y: y - p.k0e(x) - y / x)
j0 = _special("j0", lambda x, y: -p.j1(x))
j1 = _special("j1", lambda x, y: p.j0(x) - _over(y, x, 0.5))
y0 = _special("y0", lambda x, y: -p.y1(x))
y1 = _special("y1", lambda x, y: p.y0(x) - y / x)
airy_ai = _special("airy_ai", lambda x, y: p.airy_ai_prime(x))
airy_ai_prime = _special("airy_ai_prime", lambda x, y: x * p.airy_ai(x))

# spherical_j(x; n): the spherical Bessel function of order n. polynomial(x, degree; n = (family, order)): an orthogonal
# polynomial, or its derivative of that order. zeta(s, q; n): the n-th derivative by s. igamma, igammac(a, x; n): the
# n-th derivative by a of the regularized ones.
spherical_j = register(Parametric("spherical_j", _spherical))
polynomial = register(Parametric("polynomial", _polynomial_by_x, lambda *_, **params: None))
igamma = register(Parametric("igamma", _igamma_by_a(1.0), _igamma_by_x(1.0)))
igammac = register(Parametric("igammac", _igamma_by_a(-1.0), _igamma_by_x(-1.0)))
zeta = register(Parametric("zeta", _zeta_by_s, _zeta_by_q))

# betaln, beta(a, b; n=0); betainc(a, b, x; n = (shape, order)): regularized, or its derivative by the shape "a" or "b";
# inverses.
betaln = register(Parametric("betaln", lambda a, b, y, n: _beta_slope(a, b), lambda a, b, y, n: _beta_slope(b, a)))
beta = register(Parametric("beta", lambda a, b, y, n: y * _beta_slope(a, b), lambda a, b, y, n: y * _beta_slope(b, a)))
betainc = register(Parametric("betainc", _betainc_by("a"), _betainc_by("b"), _betainc_by_x))
betaincinv = register(
    Parametric(
        "betaincinv", _betaincinv_by("a"), _betaincinv_by("b"), lambda a, b, q, y, n: 1.0 / _beta_density(a, b, y)
    )
)
igammainv = register(
    Parametric(
        "igammainv",
        lambda a, q, y, n: -p.igamma(a, y, n=1) / _gamma_density(a, y),
        lambda a, q, y, n: 1.0 / _gamma_density(a, y),
    )
)
igammacinv = register(
    Parametric(
        "igammacinv",
        lambda a, q, y, n: -p.igamma(a, y, n=1) / _gamma_density(a, y),
        lambda a, q, y, n: -1.0 / _gamma_density(a, y),
    )
)


# -- elliptic integrals, Lambert's W, Owen's T, the Faddeeva function (DLMF 19.4, 4.13.4, 7.10.2)
# ---------------------------
def _ellipd(m: Var, y: Var) -> Var:
    # (K - 2D + mD) / (2m (1 - m)), and its limit at 0
    zero = p.eq(m, 0.0)
    safe = p.select(zero, 0.5, m)
    return p.select(zero, 3 * math.pi / 32, (p.ellipk(m) - (2.0 - m) * y) / (2.0 * safe * (1.0 - safe)))


def _delta(phi: Var, m: Var) -> Var:
    s = p.sin(phi)
    return p.sqrt(1.0 - m * s * s)


def _ellipkinc_by_m(phi: Var, m: Var, y: Var, n: int) -> Var:
    return (y - p.ellipdinc(phi, m, n=0) - p.sin(phi) * p.cos(phi) / _delta(phi, m)) / (2.0 * (1.0 - m))


def _ellipdinc_by_phi(phi: Var, m: Var, y: Var, n: int) -> Var:
    s = p.sin(phi)
    return s * s / _delta(phi, m)


def _ellipdinc_by_m(phi: Var, m: Var, y: Var, n: int) -> Var:
    # D = (F - E)/m, dF/dm as above and dE/dm = -D/2; not defined at m = 0
    return (_ellipkinc_by_m(phi, m, p.ellipkinc(phi, m, n=0), 0) - y * 0.5) / m


def _faddeeva_by(direction: int) -> Derivative:
    def rule(x: Var, y: Var, w: Var, n: int) -> Var:
        re, im = (w, p.faddeeva(x, y, n=1)) if n == 0 else (p.faddeeva(x, y, n=0), w)
        slope_re = -2.0 * (x * re - y * im)  # w' = -2 z w + 2i/sqrt(pi)
        slope_im = 2 / math.sqrt(math.pi) - 2.0 * (x * im + y * re)
        if direction == 0:
            return slope_im if n else slope_re
        return slope_re if n else -slope_im

    return rule


ellipk = _special("ellipk", lambda m, y: (y - p.ellipd(m)) / (2.0 * (1.0 - m)))
ellipe = _special("ellipe", lambda m, y: -0.5 * p.ellipd(m))
ellipd = _special("ellipd", _ellipd)
ellipkm1 = _special("ellipkm1", lambda q, y: (p.ellipd(1.0 - q) - y) / (2.0 * q))
lambertw = _special("lambertw", lambda x, y: p.exp(-y) / (1.0 + y))
lambertw_1 = _special("lambertw_1", lambda x, y: p.exp(-y) / (1.0 + y))
ellipkinc = register(Parametric("ellipkinc", lambda phi, m, y, n: 1.0 / _delta(phi, m), _ellipkinc_by_m))
ellipdinc = register(Parametric("ellipdinc", _ellipdinc_by_phi, _ellipdinc_by_m))
owens_t = register(
    Parametric(
        "owens_t",
        lambda h, a, y, n: -0.5 * _gaussian(h) * p.erf(a * h * math.sqrt(0.5)),
        lambda h, a, y, n: p.exp(h * h * (1.0 + a * a) * -0.5) / ((1.0 + a * a) * (2 * math.pi)),
    )
)
# faddeeva(x, y; n): the real (n = 0) or the imaginary part (n = 1) of w(x + iy)
faddeeva = register(Parametric("faddeeva", _faddeeva_by(0), _faddeeva_by(1)))


# -- Bessel functions of real order (DLMF 10.6.2, 10.29.2)
# ------------------------------------------------------------------
def _by_order(name: str) -> Derivative:
    def rule(nu: Var, x: Var, y: Var, n: int) -> Var:
        if n == 2:
            raise NotImplementedError(
                f"{name}(): expected at most two derivatives by the order 'v'; the third derivative is not implemented"
            )
        return PRIMS[name](nu, x, n=n + 1)

    return rule


def _by_argument(name: str, sign: float, own: float = 0.0) -> Derivative:
    def rule(nu: Var, x: Var, y: Var, n: int) -> Var:
        zero = p.eq(x, 0.0)
        ratio = nu * y
        if n:  # the derivative of nu y / x by the order
            ratio = ratio + PRIMS[name](nu, x, n=n - 1) * float(n)
        ratio = ratio / p.select(zero, 1.0, x)
        at_zero = p.select(p.eq(nu, 1.0), nu * 0.5, 0.0)  # of J and I; Y and K are infinite there
        total = p.select(zero, at_zero, ratio) + p.select(zero, 0.0, PRIMS[name](nu + 1.0, x, n=n)) * sign
        return total + y * own if own else total

    return rule


# jv(nu, x; n) and so on: the function, or its n-th derivative by the order
jv = register(Parametric("jv", _by_order("jv"), _by_argument("jv", -1.0)))
yv = register(Parametric("yv", _by_order("yv"), _by_argument("yv", -1.0)))
iv = register(Parametric("iv", _by_order("iv"), _by_argument("iv", 1.0)))
kv = register(Parametric("kv", _by_order("kv"), _by_argument("kv", -1.0)))
ive = register(Parametric("ive", _by_order("ive"), _by_argument("ive", 1.0, -1.0)))
kve = register(Parametric("kve", _by_order("kve"), _by_argument("kve", -1.0, 1.0)))


# -- hypergeometric functions (DLMF 13.3.15, 15.5.1)
# -------------------------------------------------------------------------
def _by_parameter(name: str, parameter: str) -> Derivative:
    def rule(*args: Var, n: tuple[str, int]) -> Var:
        if n[1] == 2:
            raise NotImplementedError(
                f"{name}(): expected at most two derivatives by the parameters; by {parameter!r} after {n[0]!r} the "
                "third derivative is not implemented"
            )
        return PRIMS[name](*args[:-1], n=("".join(sorted(n[0] + parameter)), n[1] + 1))

    return rule


def _quotient(named: dict[str, Var], above: str, below: str, by: str) -> Var | None:
    """The product of the parameters above / that below, differentiated by those in `by`; None is zero."""
    times = by.count(below)
    if any(by.count(v) > 1 for v in above):
        return None
    total: Var | float = float((-1) ** times * math.factorial(times))
    for v in above:
        total = total if v in by else named[v] * total
    quotient = total / named[below]
    for _ in range(times):
        quotient = quotient / named[below]
    return quotient


def _hyper_by_x(name: str, above: str, below: str) -> Derivative:
    """F' = (product of the parameters above / that below) F with all parameters larger by 1, and that differentiated by
    n[0].
    """

    def rule(*args: Var, n: tuple[str, int]) -> Var:
        *parameters, x, _ = args
        named = dict(zip(above + below, parameters, strict=True))
        shifted = [v + 1.0 for v in parameters]
        total = None
        for chosen in range(1 << n[1]):  # Leibniz: the chosen ones differentiate the quotient, the others F
            own, rest = ("".join(v for i, v in enumerate(n[0]) if (chosen >> i) % 2 == side) for side in (1, 0))
            factor = _quotient(named, above, below, own)
            if factor is not None:
                term = factor * PRIMS[name](*shifted, x, n=(rest, len(rest)))
                total = term if total is None else total + term
        assert total is not None
        return total

    return rule


# hyp1f1(a, b, x; n = (parameters, order)): the function, or its derivative by those, two at most, in order; hyp2f1(a,
# b, c, x; n) alike
hyp1f1 = register(Parametric("hyp1f1", *(_by_parameter("hyp1f1", v) for v in "ab"), _hyper_by_x("hyp1f1", "a", "b")))
hyp2f1 = register(Parametric("hyp2f1", *(_by_parameter("hyp2f1", v) for v in "abc"), _hyper_by_x("hyp2f1", "ab", "c")))
