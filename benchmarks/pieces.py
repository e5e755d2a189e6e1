"""Generate the tables of local polynomials of the special functions (src/rushlight/compiler/vecmath/pieces/).

A table covers an interval by rows, of equal width or 2^bits a binade. A row is a polynomial in u = v - centre,
interpolated at Chebyshev points in 34 digits and written in powers of u; the centre is the middle of the row, or the
function's zero where one is near, so that the value near a zero keeps all its digits. Each row is checked between its
nodes to 2^-59, relative to the function (to the function over u where the centre is a zero). Source of the method: L.
N. Trefethen, "Approximation Theory and Approximation Practice" (2013), chapters 8 and 18.

Run: python benchmarks/pieces.py [name ...]    (no name: every table); tables not named are kept.
"""

from __future__ import annotations

import base64
import importlib
import pathlib
import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath as mp

mp.mp.dps = 34
FOLDER = pathlib.Path(__file__).resolve().parent.parent / "src" / "rushlight" / "compiler" / "vecmath" / "pieces"
sys.path.insert(0, str(FOLDER.parents[3]))
Function = Callable[[Any], Any]


@dataclass(frozen=True)
class Spec:
    """A table to make: `rows` rows of width 1/scale from start on, or, with bits, 2^bits a binade from 2^low to
    2^high.
    """

    function: Function
    start: float = 0.0
    scale: float = 1.0
    rows: int = 1
    bits: int | None = None
    low: int = 0
    high: int = 0
    zeros: Sequence[Any] = ()
    lowest: float | None = None  # the arguments that occur begin here
    highest: float | None = None  # and end here

    def intervals(self) -> list[tuple[Any, Any]]:
        """The rows' ends."""
        if self.bits is None:
            width = mp.mpf(1) / mp.mpf(self.scale)
            return [(self.start + i * width, self.start + (i + 1) * width) for i in range(self.rows)]
        n = 1 << self.bits
        return [
            (mp.ldexp(1 + mp.mpf(j) / n, e), mp.ldexp(1 + mp.mpf(j + 1) / n, e))
            for e in range(self.low, self.high)
            for j in range(n)
        ]


def interpolate(g: Function, a: Any, b: Any, centre: Any, count: int) -> list[Any]:
    """The coefficients in powers of (v - centre) of the polynomial that takes g's values at `count` Chebyshev points of
    [a, b].
    """
    nodes = [(a + b) / 2 + (b - a) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    table = [g(x) for x in nodes]
    for level in range(1, count):  # Newton's divided differences
        for i in range(count - 1, level - 1, -1):
            table[i] = (table[i] - table[i - 1]) / (nodes[i] - nodes[i - level])
    out = [mp.mpf(0)] * count
    for i in range(count - 1, -1, -1):  # out = out (u + centre - node) + table[i]
        shift = centre - nodes[i]
        for j in range(count - 1, 0, -1):
            out[j] = out[j] * shift + out[j - 1]
        out[0] = out[0] * shift + table[i]
    return out


def fit(spec: Spec, a: Any, b: Any, count: int) -> tuple[Any, list[Any], float, Callable[[int], float]]:
    """One row with `count` coefficients after c0: centre, coefficients from c0 on, its error, and the error of
    fewer.
    """
    middle, half = (a + b) / 2, (b - a) / 2
    if spec.lowest is not None:
        a = max(a, mp.mpf(spec.lowest))
    if spec.highest is not None:
        b = min(b, mp.mpf(spec.highest))
    near = [z for z in spec.zeros if abs(z - middle) < 2 * half]
    zero = min(near, key=lambda z: abs(z - middle)) if near else None
    centre = middle if zero is None else zero
    centre = mp.mpf(float(centre)) + mp.mpf(float(centre - float(centre)))
    tests = [a + (b - a) * mp.mpf(i) / 14 for i in range(15)]
    if zero is None:
        coefficients = interpolate(spec.function, a, b, centre, count + 1)
        values = [spec.function(x) for x in tests]
    else:
        quotient: Function = lambda x: (
            spec.function(x) / (x - zero) if abs(x - zero) > mp.mpf(10) ** -25 else mp.diff(spec.function, zero)
        )
        coefficients = [mp.mpf(0), *interpolate(quotient, a, b, centre, count)]
        values = [spec.function(x) for x in tests]

    def error(terms: int) -> float:
        worst = 0.0
        for x, y in zip(tests, values, strict=True):
            if abs(x - centre) < half / 1000:
                continue
            p = mp.polyval(coefficients[terms::-1], x - centre)
            worst = max(worst, float(abs(p - y) / abs(y)))
        return worst

    return centre, coefficients, error(count), error


def make(spec: Spec) -> tuple[int, list[tuple[float, ...]]]:
    """The table's rows, all of the length that the worst needs, and how many coefficients after c0 a float result
    needs.
    """
    count = 8
    while True:
        found = []
        for a, b in spec.intervals():
            if spec.lowest is not None and b <= spec.lowest or spec.highest is not None and a >= spec.highest:
                found.append(None)
                continue
            row = fit(spec, a, b, count)
            if row[2] > 2.0**-59:
                break
            found.append(row)
        else:
            break
        count += 1
        if count > 30:
            raise ValueError(f"no fit: {row[2]} on [{a}, {b}]")
    rough = next(n for n in range(2, count + 1) if all(r is None or r[3](n) < 2.0**-33 for r in found))
    rows = []
    for r in found:
        if r is None:
            rows.append((0.0,) * (count + 4))
            continue
        centre, c = r[:2]
        rows.append(
            (float(centre), float(centre - float(centre)), float(c[0]), float(c[0] - float(c[0])), *map(float, c[1:]))
        )
    return rough, rows


# -- the functions
# --------------------------------------------------------------------------------------------------------
def at_zero(g: Function, limit: Any) -> Function:
    """g with its limit at 0."""
    return lambda v: mp.mpf(limit) if v == 0 else g(v)


def scaled_i(order: int) -> Function:
    """e^-x I(x), over x for the order 1."""
    return lambda x: (mp.besseli(order, x) * mp.exp(-x) / (x if order else 1)) if x else mp.mpf(1) / (1 + order)


def far_i(order: int) -> Function:
    """sqrt(x) e^-x I(x) at x = 1/v, by the asymptotic series beyond 60 (its exponentially small part is below 2^-170
    there).
    """

    def g(v: Any) -> Any:
        if v > mp.mpf(1) / 60:
            return mp.besseli(order, 1 / v) * mp.exp(-1 / v) / mp.sqrt(v)
        return hankel(order, v, -1)[0] / mp.sqrt(2 * mp.pi)

    return g


def far_k(order: int) -> Function:
    """sqrt(x) e^x K(x) at x = 1/v."""
    return lambda v: (
        mp.besselk(order, 1 / v) * mp.exp(1 / v) / mp.sqrt(v)
        if v > mp.mpf(1) / 60
        else hankel(order, v, 1)[0] * mp.sqrt(mp.pi / 2)
    )


def hankel(order: int, v: Any, sign: int) -> tuple[Any, Any]:
    """The sum of sign^k a_k v^k, and of those with k odd, a_k of the DLMF's 10.17.1."""
    term = total = mp.mpf(1)
    for k in range(1, 60):
        term *= sign * (4 * order * order - (2 * k - 1) ** 2) * v / (8 * k)
        total += term
        if abs(term) < mp.mpf(10) ** -36:
            break
    return total, term


def modulus(order: int) -> Function:
    """sqrt(x) sqrt(J^2 + Y^2) at x = 1/v."""

    def g(v: Any) -> Any:
        if v == 0:
            return mp.sqrt(2 / mp.pi)
        x = 1 / v
        if x < 3000:
            return mp.sqrt(x * (mp.besselj(order, x) ** 2 + mp.bessely(order, x) ** 2))
        p, q = hankel_pq(order, v)
        return mp.sqrt(2 / mp.pi * (p * p + q * q))

    return g


def hankel_pq(order: int, v: Any) -> tuple[Any, Any]:
    """P and Q of Hankel's expansion (Abramowitz & Stegun 9.2.9, 9.2.10)."""
    p, q, term = mp.mpf(0), mp.mpf(0), mp.mpf(1)
    for k in range(60):
        if k % 2 == 0:
            p += term * (-1) ** (k // 2)
        else:
            q += term * (-1) ** (k // 2)
        term *= (4 * order * order - (2 * k + 1) ** 2) * v / (8 * (k + 1))
        if abs(term) < mp.mpf(10) ** -36:
            break
    return p, q


def phase(order: int) -> Function:
    """x (theta - x + (2 order + 1) pi/4) at x = 1/v, theta the phase of J + iY."""

    def g(v: Any) -> Any:
        if v == 0:
            return mp.mpf(4 * order * order - 1) / 8
        x = 1 / v
        if x < 3000:
            turn = x - (2 * order + 1) * mp.pi / 4
            j, y = mp.besselj(order, x), mp.bessely(order, x)
            c, s = mp.cos(turn), mp.sin(turn)
            return x * mp.atan2(y * c - j * s, j * c + y * s)
        p, q = hankel_pq(order, v)
        return x * mp.atan2(q, p)

    return g


def airy_parts(derivative: int, z: Any) -> tuple[Any, Any]:
    """P and Q in 1/zeta of Ai(-x) or Ai'(-x): the DLMF's 9.7.9, 9.7.10, with its u_k, v_k of 9.7.2."""
    p, q, u = mp.mpf(0), mp.mpf(0), mp.mpf(1)
    for k in range(80):
        term = u * (mp.mpf(6 * k + 1) / (1 - 6 * k) if derivative else 1) / z**k
        if k % 2 == 0:
            p += term * (-1) ** (k // 2)
        else:
            q += term * (-1) ** (k // 2)
        if abs(term) < mp.mpf(10) ** -36:
            break
        u *= mp.mpf((6 * k + 1) * (6 * k + 3) * (6 * k + 5)) / (216 * (k + 1) * (2 * k + 1))
    return p, q


def airy_modulus(derivative: int) -> Function:
    """sqrt(P^2 + Q^2) at zeta = 1/v."""
    return at_zero(lambda v: mp.hypot(*airy_parts(derivative, 1 / v)), 1)


def airy_phase(derivative: int) -> Function:
    """zeta atan(Q/P) at zeta = 1/v."""
    limit = -mp.mpf(7) / 72 if derivative else mp.mpf(5) / 72
    return at_zero(lambda v: mp.atan2(*airy_parts(derivative, 1 / v)[::-1]) / v, limit)


def scaled_airy(derivative: int) -> Function:
    """e^zeta x^(1/4) Ai(x), or -e^zeta x^(-1/4) Ai'(x), zeta = 2/3 x^(3/2)."""
    power = mp.mpf(1) / 4
    if derivative:
        return lambda x: -mp.exp(2 * mp.sqrt(x) ** 3 / 3) * x**-power * mp.airyai(x, derivative=1)
    return lambda x: mp.exp(2 * mp.sqrt(x) ** 3 / 3) * x**power * mp.airyai(x)


def inverse_normal(r: Any) -> Any:
    """-ndtri(p) at p = exp(-r^2/2): Newton's method on log Q."""
    goal = -r * r / 2
    y = r - mp.log(r) / r if r > 2 else r * r / 4
    for _ in range(60):
        q = mp.erfc(y / mp.sqrt(2)) / 2
        step = (mp.log(q) - goal) * q * mp.sqrt(2 * mp.pi) * mp.exp(y * y / 2)
        y += step
        if abs(step) < mp.mpf(10) ** -30:
            break
    return y


def shepherd(t: Any) -> Any:
    """(1 + 2x) e^(x^2) erfc(x) at t = (x - 3)/(x + 3): Shepherd & Laframboise, Math. Comp. 36 (1981) 249."""
    if t == 1:
        return 2 / mp.sqrt(mp.pi)
    x = 3 * (1 + t) / (1 - t)
    if x < 50:
        return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)
    term = total = mp.mpf(1)
    for k in range(1, 40):
        term *= -(2 * k - 1) / (2 * x * x)
        total += term
    return total * (1 + 2 * x) / (x * mp.sqrt(mp.pi))


def erfinv_of(w: Any) -> Any:
    """erfinv(x)/x where w = -log(1 - x^2)."""
    if w == 0:
        return mp.sqrt(mp.pi) / 2
    x = mp.sqrt(-mp.expm1(-w))
    c = mp.exp(-w) / (1 + x)
    y = mp.sqrt(w) if w > 1 else x
    for _ in range(80):
        if w < mp.mpf("0.5"):
            step = (mp.erf(y) - x) * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
        else:
            tail = mp.erfc(y)
            step = -mp.log(tail / c) * tail * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
        y -= step
        if abs(step) < mp.mpf(10) ** -30:
            break
    return y / x


def erfinv_small(z: Any) -> Any:
    """erfinv(x)/x at z = x^2."""
    return erfinv_of(-mp.log(1 - z)) if z else mp.sqrt(mp.pi) / 2


def ndtri_small(z: Any) -> Any:
    """ndtri(1/2 + q)/q at z = q^2."""
    return 2 * mp.sqrt(2) * erfinv_small(4 * z)


def _specs() -> dict[str, Spec]:
    j = {n: [mp.besseljzero(n, k) for k in range(1, 12)] for n in (0, 1)}
    y = {n: [mp.besselyzero(n, k) for k in range(1, 12)] for n in (0, 1)}
    ai = [mp.airyaizero(k) for k in range(1, 16)]
    aip = [mp.airyaizero(k, derivative=1) for k in range(1, 16)]
    out = {
        "erfcx": Spec(shepherd, -1, 8, 16),
        "erfinv_small": Spec(erfinv_small, 0, 4, 1),
        "erfinv": Spec(erfinv_of, bits=2, low=-2, high=6, lowest=0.28, highest=37.5),
        "ndtri_small": Spec(ndtri_small, 0, 11, 1),
        "ndtri": Spec(inverse_normal, bits=2, low=0, high=6, lowest=1.5, highest=39),
    }
    for n in (0, 1):
        out[f"i{n}e"] = Spec(scaled_i(n), 0, 2, 16)
        out[f"i{n}e_far"] = Spec(far_i(n), 0, 32, 4)
        out[f"k{n}e"] = Spec(lambda x, n=n: mp.exp(x) * mp.besselk(n, x), bits=3, low=-3, high=3)
        out[f"k{n}e_far"] = Spec(far_k(n), 0, 32, 4)
        out[f"j{n}"] = Spec(lambda x, n=n: mp.besselj(n, x), 0, 2, 64, zeros=[*([0] if n else []), *j[n]])
        out[f"y{n}_near"] = Spec(lambda x, n=n: mp.bessely(n, x), bits=3, low=-3, high=2, zeros=y[n])
        out[f"y{n}"] = Spec(lambda x, n=n: mp.bessely(n, x), 4, 2, 56, zeros=y[n])
        out[f"modulus{n}"] = Spec(modulus(n), 0, 32, 1)
        out[f"phase{n}"] = Spec(phase(n), 0, 32, 1)
    for d, name, zeros in ((0, "ai", ai), (1, "aip", aip)):
        out[name] = Spec(lambda x, d=d: mp.airyai(x, derivative=d), -16, 4, 72, zeros=zeros)
        out[f"{name}_far"] = Spec(scaled_airy(d), bits=2, low=1, high=7, highest=110)
        out[f"{name}_modulus"] = Spec(airy_modulus(d), 0, 32, 1)
        out[f"{name}_phase"] = Spec(airy_phase(d), 0, 32, 1)
    return out


# A module for each family of functions, and the beginnings of its tables' names.
FAMILIES = {
    "airy": ("Airy functions", ("ai",)),
    "bessel": ("Bessel functions", ("i0", "i1", "j", "k", "modulus", "phase", "y")),
    "errors": ("error functions", ("erf", "ndtri")),
}
HEAD = '''"""Tables of local polynomials of the {what}. Generated by benchmarks/pieces.py; do not edit."""

from __future__ import annotations

from rushlight.compiler.vecmath.tables import Pieces

# fmt: off
PIECES: dict[str, Pieces] = {
'''


def write(tables: dict[str, tuple[Any, ...]]) -> None:
    """Write the modules; tables: name -> (start, scale, bits, first, width, rough, base64 text)."""
    left = set(tables)
    for family, (what, beginnings) in FAMILIES.items():
        lines = []
        for name in sorted(n for n in tables if n.startswith(beginnings)):
            *numbers, data = tables[name]
            lines.append(f'    "{name}": Pieces({", ".join(map(repr, numbers))},')
            lines += [f'        "{data[i : i + 110]}"' for i in range(0, len(data), 110)]
            lines[-1] += "),"
            left.remove(name)
        (FOLDER / f"{family}.py").write_text(HEAD.replace("{what}", what) + "\n".join(lines) + "\n}\n")
    assert not left, f"no family has {left}"


def main(names: list[str]) -> None:
    """Make the named tables, or all, and rewrite the modules."""
    tables: dict[str, tuple[Any, ...]] = {}
    specs = _specs()
    if all((FOLDER / f"{family}.py").exists() for family in FAMILIES):
        pieces = importlib.import_module("rushlight.compiler.vecmath.pieces")
        tables = {
            n: (t.start, t.scale, t.bits, t.first, t.width, t.rough, t.data)
            for n, t in pieces.PIECES.items()
            if n in specs
        }
    for name in names or specs:
        s = specs[name]
        rough, rows = make(s)
        data = base64.b64encode(struct.pack(f"<{len(rows) * len(rows[0])}d", *(c for r in rows for c in r))).decode()
        first = 0 if s.bits is None else (1023 + s.low) << s.bits
        tables[name] = (float(s.start), float(s.scale), s.bits, first, len(rows[0]), rough, data)
        print(f"{name}: {len(rows)} rows of {len(rows[0])}, {rough} coefficients for a float", flush=True)
        write(tables)


if __name__ == "__main__":
    main(sys.argv[1:])
