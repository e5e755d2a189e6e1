"""Small Fourier transforms of values in registers: the butterflies that codelets are made of.

A complex value is a pair of vectors, real and imaginary parts. A transform is forward: y[k] = sum over j of x[j] w^jk,
w = exp(-2 pi i / r). What is multiplied is fused with what it is added to (one rounding) on every processor, so the
bits are the same on all.

Sources: Cooley and Tukey, 1965, for composite lengths; Singleton, "An algorithm for computing the mixed radix fast
Fourier transform", 1969, for odd ones: sums and differences of mirror images need real factors alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.lanes import intrinsic

Complex = tuple[ir.Value, ir.Value]


class Arithmetic:
    """Complex arithmetic written by a builder."""

    def __init__(self, b: ir.IRBuilder, t: ir.Type) -> None:
        self.b, self.type = b, t

    def fma(self, x: ir.Value, y: ir.Value, z: ir.Value) -> ir.Value:
        """x y + z, rounded once."""
        return intrinsic(self.b, "fma", self.type, [x, y, z])

    def real(self, x: float) -> ir.Value:
        return ir.constant(self.type, x)

    def add(self, x: Complex, y: Complex) -> Complex:
        return self.b.fadd(x[0], y[0]), self.b.fadd(x[1], y[1])

    def sub(self, x: Complex, y: Complex) -> Complex:
        return self.b.fsub(x[0], y[0]), self.b.fsub(x[1], y[1])

    def add_i(self, x: Complex, y: Complex) -> Complex:
        """x + i y."""
        return self.b.fsub(x[0], y[1]), self.b.fadd(x[1], y[0])

    def sub_i(self, x: Complex, y: Complex) -> Complex:
        """x - i y."""
        return self.b.fadd(x[0], y[1]), self.b.fsub(x[1], y[0])

    def mul(self, x: Complex, c: ir.Value, s: ir.Value) -> Complex:
        """x (c + i s)."""
        b, (re, im) = self.b, x
        return self.fma(re, c, b.fneg(b.fmul(im, s))), self.fma(re, s, b.fmul(im, c))

    # -- transforms ------------------------------------------------------------------------------------------------
    def transform(self, x: Sequence[Complex]) -> list[Complex]:
        """The transform of len(x) values: 1, 2, 4, 8, 16 or any odd number of them."""
        n = len(x)
        if n == 1:
            return list(x)
        if n % 2:
            return self._odd(x)
        return {2: self._two, 4: self._four, 8: self._eight, 16: self._sixteen}[n](x)

    def _two(self, x: Sequence[Complex]) -> list[Complex]:
        return [self.add(x[0], x[1]), self.sub(x[0], x[1])]

    def _four(self, x: Sequence[Complex]) -> list[Complex]:
        a, b, c, d = self.add(x[0], x[2]), self.sub(x[0], x[2]), self.add(x[1], x[3]), self.sub(x[1], x[3])
        return [self.add(a, c), self.sub_i(b, d), self.sub(a, c), self.add_i(b, d)]

    def _eight(self, x: Sequence[Complex]) -> list[Complex]:
        b = self.b
        even, odd = self._four(x[0::2]), self._four(x[1::2])
        root = math.sqrt(0.5)
        plus, minus = self.real(root), self.real(-root)
        y: list[Complex] = [even[0]] * 8
        y[0], y[4] = self.add(even[0], odd[0]), self.sub(even[0], odd[0])
        y[2], y[6] = self.sub_i(even[2], odd[2]), self.add_i(even[2], odd[2])
        re, im = odd[1]  # times (1 - i) / sqrt 2
        u, v = b.fadd(re, im), b.fsub(im, re)
        y[1] = self.fma(u, plus, even[1][0]), self.fma(v, plus, even[1][1])
        y[5] = self.fma(u, minus, even[1][0]), self.fma(v, minus, even[1][1])
        re, im = odd[3]  # times (-1 - i) / sqrt 2
        u, v = b.fsub(im, re), b.fadd(re, im)
        y[3] = self.fma(u, plus, even[3][0]), self.fma(v, minus, even[3][1])
        y[7] = self.fma(u, minus, even[3][0]), self.fma(v, plus, even[3][1])
        return y

    def _sixteen(self, x: Sequence[Complex]) -> list[Complex]:
        columns = [self._four(x[j::4]) for j in range(4)]
        y: list[Complex] = [x[0]] * 16
        for k in range(4):
            y[k::4] = self._four([self._turned(columns[j][k], j * k) for j in range(4)])
        return y

    def _turned(self, x: Complex, k: int) -> Complex:
        """x exp(-2 pi i k / 16)."""
        b, (re, im) = self.b, x
        if k == 0:
            return x
        if k == 4:
            return im, b.fneg(re)
        if k in (2, 6):
            root = self.real(math.sqrt(0.5))
            u, v = b.fadd(re, im), b.fsub(im, re)
            return (b.fmul(u, root), b.fmul(v, root)) if k == 2 else (b.fmul(v, root), b.fneg(b.fmul(u, root)))
        c, s = root_of_unity(k, 16)
        return self.mul(x, self.real(c), self.real(s))

    def _odd(self, x: Sequence[Complex]) -> list[Complex]:
        n, b = len(x), self.b
        half = n // 2 + 1
        sums = [self.add(x[j], x[n - j]) for j in range(1, half)]
        differences = [self.sub(x[j], x[n - j]) for j in range(1, half)]
        total = x[0]
        for s in sums:
            total = self.add(total, s)
        y: list[Complex] = [total] * n
        for k in range(1, half):
            re, im = x[0]
            turned: Complex | None = None
            for j, (s, d) in enumerate(zip(sums, differences, strict=True), 1):
                cosine, sine = root_of_unity(j * k, n)
                c, q = self.real(cosine), self.real(-sine)
                re, im = self.fma(s[0], c, re), self.fma(s[1], c, im)
                if turned is None:
                    turned = b.fmul(d[0], q), b.fmul(d[1], q)
                else:
                    turned = self.fma(d[0], q, turned[0]), self.fma(d[1], q, turned[1])
            assert turned is not None
            y[k], y[n - k] = self.sub_i((re, im), turned), self.add_i((re, im), turned)
        return y


def root_of_unity(k: int, n: int) -> tuple[float, float]:
    """cos and sin of -2 pi k / n, in float64: an angle of at most pi / 4, and symmetry."""
    turn = Fraction(-k, n) % 1
    eighth = int(turn * 8)
    rest = turn - Fraction((eighth + 1) // 2, 4)  # from the next quarter, -1/8 to 1/8
    angle = 2 * math.pi * float(rest)
    c, s = math.cos(angle), math.sin(angle)
    return ((c, s), (-s, c), (-c, -s), (s, -c))[(eighth + 1) // 2 % 4]
