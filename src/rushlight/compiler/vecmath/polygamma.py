"""polygamma(n, x), the n-th derivative of digamma, for a fixed n >= 1.

For x > 0: (-1)**(n+1) n! zeta(n + 1, x), the Hurwitz zeta function by Euler-Maclaurin summation after TERMS explicit
terms (Abramowitz & Stegun 6.4.10, 23.1.30). For x <= 0 by the n-th derivative of digamma(1 - x) - digamma(x) = pi
cot(pi x) (6.3.7): with c = cot(pi x), d/dx turns a polynomial Q(c) into -pi (1 + c**2) Q'(c).
"""

from __future__ import annotations

import math
from fractions import Fraction

from rushlight.compiler import vecmath
from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.ir import F32, F64
from rushlight.compiler.llvm.lanes import const, element, intrinsic, lanes_of, shaped

TERMS, BERNOULLI = 14, 10


def _bernoulli(count: int) -> list[Fraction]:
    """B_2, B_4, ... by their recurrence."""
    b = [Fraction(1)]
    for m in range(1, 2 * count + 1):
        b.append(-sum((math.comb(m + 1, k) * b[k] for k in range(m)), Fraction(0)) / (m + 1))
    return b[2::2]


def _cot_polynomial(n: int) -> list[int]:
    """Coefficients of Q_n, where Q_0 = c and Q_k+1 = -(1 + c**2) Q_k'."""
    q = [0, 1]
    for _ in range(n):
        d = [k * c for k, c in enumerate(q)][1:]
        q = [-(x + y) for x, y in zip([*d, 0, 0], [0, 0, *d], strict=True)]
    return q


def _power(b: ir.IRBuilder, x: ir.Value, n: int) -> ir.Value:
    """x ** n for n >= 1."""
    out: ir.Value | None = None
    while n:
        if n & 1:
            out = x if out is None else b.fmul(out, x)
        n >>= 1
        if n:
            x = b.fmul(x, x)
    assert out is not None
    return out


def _positive(b: ir.IRBuilder, x: ir.Value, n: int) -> ir.Value:
    """zeta(n + 1, x) for x > 0."""
    lanes, s = lanes_of(x), n + 1

    def c(v: float) -> ir.Value:
        return const(F64, v, lanes)

    total = c(0.0)
    for k in range(TERMS):
        total = b.fadd(total, b.fdiv(c(1.0), _power(b, b.fadd(x, c(float(k))), s)))
    a = b.fadd(x, c(float(TERMS)))
    inverse = b.fdiv(c(1.0), a)
    last = _power(b, inverse, s)
    square = b.fmul(inverse, inverse)
    series = c(0.0)
    factors = []
    rising = Fraction(s)
    for j, number in enumerate(_bernoulli(BERNOULLI), 1):
        factors.append(float(number * rising / math.factorial(2 * j)))
        rising *= (s + 2 * j - 1) * (s + 2 * j)
    for f in reversed(factors):
        series = b.fmul(b.fadd(series, c(f)), square)
    # a**(1-s) / (s-1) + a**-s / 2 + sum of B_2j / (2j)! s (s+1) ... (s+2j-2) a**(-s-2j+1)
    tail = b.fadd(b.fdiv(a, c(float(n))), b.fadd(c(0.5), b.fmul(series, a)))
    return b.select(b.fcmp_ordered("==", x, c(math.inf)), c(0.0), b.fadd(total, b.fmul(last, tail)))


def emit(b: ir.IRBuilder, x: ir.Value, n: int) -> ir.Value:
    """polygamma(n, x) of float or double lanes; float is computed in double."""
    own, lanes = element(x.type), lanes_of(x)
    narrow = own is F32
    if narrow:
        x = b.fpext(x, shaped(F64, lanes))

    def c(v: float) -> ir.Value:
        return const(F64, v, lanes)

    below = b.fcmp_ordered("<=", x, c(0.0))
    y = b.select(below, b.fsub(c(1.0), x), x)
    sign = 1.0 if n % 2 else -1.0
    main = b.fmul(c(sign * math.factorial(n)), _positive(b, y, n))
    nearest = intrinsic(b, "rint", x.type, [x])
    angle = b.fmul(b.fsub(x, nearest), c(math.pi))
    cot = b.fdiv(vecmath.emit("cos", b, [angle]), vecmath.emit("sin", b, [angle]))
    poly = c(0.0)
    for q in reversed(_cot_polynomial(n)):
        poly = b.fadd(b.fmul(poly, cot), c(float(q)))
    mirrored = b.fsub(b.fmul(c(1.0 if n % 2 == 0 else -1.0), main), b.fmul(c(math.pi ** (n + 1)), poly))
    pole = b.and_(below, b.fcmp_ordered("==", x, nearest))
    if n == 1:  # (at -inf there is no limit; PyTorch has NaN for n = 1, and a pole for the others)
        pole = b.and_(pole, b.fcmp_ordered(">", x, c(-math.inf)))
    out = b.select(pole, c(sign * math.inf), b.select(below, mirrored, main))
    return b.fptrunc(out, shaped(own, lanes)) if narrow else out
