"""Generate the polynomial coefficients of the vector mathematics (src/rushlight/compiler/vecmath/coefficients.py).

Each entry of SPECS is a function g on [a, b], a degree, and a weight w; the polynomial found minimises max |w (p - g)|
(Remez exchange, in 60-digit arithmetic, on a dense Chebyshev grid) and is then rounded to the working precision.
Source of the method: J.-M. Muller, "Elementary Functions", 3rd ed. (2016), chapter 3.

Run: python benchmarks/minimax.py [pattern ...]    (no pattern: every entry); entries not matched are kept.
"""

from __future__ import annotations

import pathlib
import runpy
import struct
import sys
from collections.abc import Callable
from typing import Any

import mpmath as mp

mp.mp.dps = 60
_FOLDER = pathlib.Path(__file__).resolve().parent.parent / "src" / "rushlight" / "compiler" / "vecmath"
TARGET, TABLES = _FOLDER / "coefficients.py", _FOLDER / "segment_tables.py"
Function = Callable[[Any], Any]


def remez(g: Function, a: Any, b: Any, degree: int, weight: Function, grid: int = 900) -> tuple[list[Any], Any]:
    """Return the degree-`degree` minimax polynomial of g on [a, b] and its largest weighted error.

    The polynomial is solved in the Chebyshev basis of [a, b] (well conditioned) and returned in powers of x.
    """
    a, b = mp.mpf(a), mp.mpf(b)
    points = [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * i / (grid - 1)) for i in range(grid)]
    points = [x if x != 0 else mp.mpf(10) ** -12 * (b - a) for x in points]
    values = [g(x) for x in points]
    weights = [abs(weight(x)) for x in points]
    floor = max(weights) / 1000  # a weight with a zero inside would make the system singular
    weights = [max(w, floor) for w in weights]
    n = degree + 2
    basis = []
    for x in points:
        t = (2 * x - a - b) / (b - a)
        row = [mp.mpf(1), t]
        for _ in range(2, degree + 1):
            row.append(2 * t * row[-1] - row[-2])
        basis.append(row[: degree + 1])
    chosen = [round(i * (grid - 1) / (n - 1)) for i in range(n)]
    best: tuple[Any, list[Any]] | None = None
    for _ in range(12):
        system = mp.matrix(n, n)
        right = mp.matrix(n, 1)
        for r, i in enumerate(chosen):
            for c in range(degree + 1):
                system[r, c] = basis[i][c]
            system[r, n - 1] = (-1) ** r / weights[i]
            right[r] = values[i]
        solution = mp.lu_solve(system, right)
        cheb = [solution[c] for c in range(degree + 1)]
        errors = [w * (mp.fdot(cheb, row) - v) for w, row, v in zip(weights, basis, values, strict=True)]
        worst = max(abs(e) for e in errors)
        if best is None or worst < best[0]:
            best = (worst, cheb)
        if worst <= abs(solution[n - 1]) * mp.mpf("1.02"):
            break
        chosen = _exchange(errors, n) or chosen
    assert best is not None
    return _powers(best[1], a, b), best[0]


def _exchange(errors: list[Any], n: int) -> list[int] | None:
    """The n grid indices of alternating extrema with the largest errors, or None when there are fewer."""
    runs: list[int] = []
    for i, e in enumerate(errors):
        if runs and (errors[runs[-1]] > 0) == (e > 0):
            if abs(e) > abs(errors[runs[-1]]):
                runs[-1] = i
        else:
            runs.append(i)
    while len(runs) > n:  # drop from the end whose extremum is smaller, so that signs keep alternating
        runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
    return runs if len(runs) == n else None


def _powers(cheb: list[Any], a: Any, b: Any) -> list[Any]:
    """Coefficients in powers of x of a Chebyshev series on [a, b]."""
    s, o = 2 / (b - a), -(a + b) / (b - a)

    def times_t(p: list[Any]) -> list[Any]:
        out = [o * c for c in p] + [mp.mpf(0)]
        for k, c in enumerate(p):
            out[k + 1] += s * c
        return out

    polys = [[mp.mpf(1)], [o, s]]
    while len(polys) < len(cheb):
        nxt = [2 * c for c in times_t(polys[-1])]
        for k, c in enumerate(polys[-2]):
            nxt[k] -= c
        polys.append(nxt)
    total = [mp.mpf(0)] * len(cheb)
    for c, p in zip(cheb, polys, strict=False):
        for k, q in enumerate(p):
            total[k] += c * q
    return total


def round32(x: Any) -> float:
    """x rounded to float32 (through float64: the double rounding is harmless here)."""
    return struct.unpack("f", struct.pack("f", float(x)))[0]


def _odd(f: Function) -> Function:
    """g with f(x) = x + x^3 g(x^2)."""

    def g(z: Any) -> Any:
        x = mp.sqrt(z)
        return (f(x) - x) / x**3

    return g


def _odd_weight(f: Function) -> Function:
    return lambda z: mp.sqrt(z) ** 3 / f(mp.sqrt(z))


def _erfcx(x: Any) -> Any:
    return mp.exp(x * x) * mp.erfc(x)


def _erfc_t(a: float) -> Function:
    """t -> (1 + 2x) exp(x^2) erfc(x), with t = (x - a)/(x + a): Shepherd & Laframboise, Math. Comp. 36 (1981) 249."""

    def g(t: Any) -> Any:
        if t >= 1:
            return 2 / mp.sqrt(mp.pi)
        x = a * (1 + t) / (1 - t)
        return (1 + 2 * x) * _erfcx(x) if x < 60 else (1 + 2 * x) * _erfcx_large(x)

    return g


def _erfcx_large(x: Any) -> Any:
    """erfcx for x >= 60 by the first 25 terms of its asymptotic series."""
    term = total = mp.mpf(1)
    for k in range(1, 25):
        term *= -(2 * k - 1) / (2 * x * x)
        total += term
    return total / (x * mp.sqrt(mp.pi))


def _erfinv_w(w: Any) -> Any:
    """erfinv(x)/x where w = -log(1 - x^2): M. Giles, "Approximating the erfinv function", GPU Computing Gems 2
    (2011).
    """
    if w < mp.mpf(10) ** -20:
        return mp.sqrt(mp.pi) / 2
    x = mp.sqrt(-mp.expm1(-w))
    c = 1 - x if w < 30 else mp.exp(-w) / (1 + x)
    y = mp.sqrt(w)
    for _ in range(60):  # Newton on erfc: mp.erfinv loses the tail
        if w < 0.5:
            step = (mp.erf(y) - x) * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
        else:
            step = -mp.log(mp.erfc(y) / c) * mp.erfc(y) * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
        y -= step
        if abs(step) < mp.mpf(10) ** -45:
            break
    return y / x


def _stirling(z: Any) -> Any:
    """z = 1/x^2 -> x (lgamma(x) - (x - 1/2) log x + x - log(2 pi)/2)."""
    x = 1 / mp.sqrt(z)
    if x > 60:
        return mp.fsum(mp.bernoulli(2 * k) / (2 * k * (2 * k - 1)) * z ** (k - 1) for k in range(1, 14))
    return x * (mp.loggamma(x) - (x - 0.5) * mp.log(x) + x - mp.log(2 * mp.pi) / 2)


def _digamma_tail(z: Any) -> Any:
    """z = 1/x^2 -> (log x - 1/(2x) - digamma(x)) x^2."""
    x = 1 / mp.sqrt(z)
    if x > 60:
        return mp.fsum(mp.bernoulli(2 * k) / (2 * k) * z ** (k - 1) for k in range(1, 14))
    return (mp.log(x) - 1 / (2 * x) - mp.digamma(x)) * x * x


def _lgamma_2(d: Any) -> Any:
    if d in (-1, 0):
        d += mp.mpf(10) ** -25
    return mp.loggamma(2 + d) / (d * (1 + d))


LN2 = mp.log(2)
DIGAMMA_ROOT = mp.findroot(mp.digamma, mp.mpf("1.4616321449683623"))
ONE: Function = lambda x: mp.mpf(1)
H = "0.3475"  # a little over log(2)/2

# Written as three floats of the format, whose sum is the constant.
CONSTANTS: dict[str, Any] = {
    "ln2": LN2, "log2e": 1 / LN2, "log10e": 1 / mp.log(10), "log10_2": LN2 / mp.log(10), "pi": mp.pi + 0,
    "pi_2": mp.pi / 2, "2_pi": 2 / mp.pi, "pi_4": mp.pi / 4, "log_2pi_2": mp.log(2 * mp.pi) / 2, "log_pi":
    mp.log(mp.pi),
    "digamma_root": DIGAMMA_ROOT, "2/3": mp.mpf(2) / 3, "2/5": mp.mpf(2) / 5, "2_sqrtpi": 2 / mp.sqrt(mp.pi),
}  # fmt: skip
# The same with a first part of 14 (40) bits, so that its product with an exponent is exact.
SHORT: dict[str, Any] = {"ln2": LN2, "log10_2": LN2 / mp.log(10)}

# A name that ends in 32 is for float results computed in double arithmetic.
# name -> (g, a, b, weight, degree for float32 or None, degree for float64 or None)
Spec = tuple[Function, Any, Any, Function, "int | None", "int | None"]
SPECS: dict[str, Spec] = {
    "exp": (lambda r: (mp.exp(r) - 1 - r) / r**2, "-" + H, H, lambda r: r * r / mp.exp(r), 4, 9),
    "exp32": (lambda r: (mp.exp(r) - 1 - r) / r**2, "-" + H, H, lambda r: r * r / mp.exp(r), None, 5),
    "exp2": (lambda r: (mp.mpf(2) ** r - 1) / r, "-0.501", "0.501", lambda r: r / mp.mpf(2) ** r, 5, 10),
    "log": (lambda f: (mp.log1p(f) - f + f * f / 2) / f**3, "-0.2929", "0.4143", lambda f: f**3 / mp.log1p(f), 7, None),
    # of what is left beside a factor of `log_table`
    "log_near": (lambda r: (mp.log1p(r) - r + r * r / 2) / r**3, "-0.0345", "0.0345", lambda r: r * r, None, 7),
    "log_near32": (lambda r: (mp.log1p(r) - r + r * r / 2) / r**3, "-0.0345", "0.0345", lambda r: r * r, None, 4),
    # log(1 + f) = f - s (f - s^2 P(s^2)), s = f / (2 + f)
    "logs": (
        lambda z: (mp.log((1 + mp.sqrt(z)) / (1 - mp.sqrt(z))) - 2 * mp.sqrt(z)) / mp.sqrt(z) ** 3,
        "0",
        "0.02945",
        lambda z: z,
        3,
        6,
    ),
    "logs32": (
        lambda z: (mp.log((1 + mp.sqrt(z)) / (1 - mp.sqrt(z))) - 2 * mp.sqrt(z)) / mp.sqrt(z) ** 3,
        "0",
        "0.02945",
        lambda z: z,
        None,
        4,
    ),
    # the same series with its first two terms taken out, for pow
    "powlog": (
        lambda z: ((mp.atanh(mp.sqrt(z)) * 2 / mp.sqrt(z) - 2) / z - mp.mpf(2) / 3 - z * mp.mpf(2) / 5) / z**2,
        "0",
        "0.02945",
        lambda z: z**3,
        2,
        6,
    ),
    "sin": (_odd(mp.sin), "0", "0.64", _odd_weight(mp.sin), 2, 5),
    "cos": (lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, "0", "0.64", lambda z: z**2, 2, 5),
    "tan": (_odd(mp.tan), "0", "0.64", _odd_weight(mp.tan), 6, 14),
    "atan": (_odd(mp.atan), "0", "1", _odd_weight(mp.atan), 10, 19),
    "atan32": (_odd(mp.atan), "0", "1", _odd_weight(mp.atan), None, 11),
    "asin": (_odd(mp.asin), "0", "0.2501", _odd_weight(mp.asin), 4, 12),
    "tanh": (_odd(mp.tanh), "0", "0.36", _odd_weight(mp.tanh), None, 11),
    "sinh": (_odd(mp.sinh), "0", "1", _odd_weight(mp.sinh), 3, 7),
    "asinh": (_odd(mp.asinh), "0", "0.25", _odd_weight(mp.asinh), 5, 13),
    "atanh": (_odd(mp.atanh), "0", "0.25", _odd_weight(mp.atanh), 6, 16),
    "erf_small": (lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1, "0", "1", ONE, None, 13),
    "erf_tail": (_erfc_t(3.0), "-0.501", "0.334", ONE, None, 15),
    # (x + 3) exp(x^2) erfc(x) in (x - 3)/(x + 3), x <= 10.2
    "erfc_tail32": (lambda t: 6 / (1 - t) * _erfcx(3 * (1 + t) / (1 - t)), "-1", "0.546", lambda t: 1 - t, None, 11),
    "erf_small32": (lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1, "0", "1", ONE, None, 6),
    # in u, the distance from the middle of the interval: sqrt(w) = 3 + u; for float results
    "erfinv_tail": (lambda u: _erfinv_w((u + 3) ** 2), "-0.81", "1.1", ONE, None, 9),
    # lgamma(2 + d)/(d (1 + d)) in u = d + 1/4: both zeros divided out
    "lgamma_2": (lambda u: _lgamma_2(u - mp.mpf(1) / 4), "-0.75", "0.75", ONE, None, 25),
    "lgamma_tail": (_stirling, "0", mp.mpf(1) / 64, ONE, None, 6),
    "digamma_12": (lambda u: mp.digamma(u + 1.5) / (u + 1.5 - DIGAMMA_ROOT), "-0.5", "0.5", ONE, None, 22),
    "digamma_1232": (lambda u: mp.digamma(u + 1.5) / (u + 1.5 - DIGAMMA_ROOT), "-0.5", "0.5", ONE, None, 11),
    "digamma_tail32": (_digamma_tail, "0", mp.mpf(1) / 64, lambda z: z, None, 2),
    "lgamma_232": (lambda u: _lgamma_2(u - mp.mpf(1) / 4), "-0.75", "0.75", ONE, None, 14),
    "lgamma_tail32": (_stirling, "0", mp.mpf(1) / 64, ONE, None, 2),
    "sin32": (_odd(mp.sin), "0", "0.64", _odd_weight(mp.sin), None, 3),
    "cos32": (lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, "0", "0.64", lambda z: z**2, None, 3),
    "digamma_tail": (_digamma_tail, "0", mp.mpf(1) / 64, lambda z: z, None, 7),
}


def _upwards(last: float) -> list[tuple[int, Any, Any]]:
    """The segments of x itself, from 0 to `last`: (index, lower end, upper end)."""
    found = [(_index(0.24), mp.mpf(0), mp.mpf("0.25"))]
    low = mp.mpf("0.25")
    while low < last:
        high = low + mp.mpf(2) ** (mp.floor(mp.log(low, 2)) - 2)
        found.append((_index(float(low)), low, min(high, mp.mpf(last))))
        low = high
    return found


def _towards_one() -> list[tuple[int, Any, Any]]:
    """The segments of 1 - x, from 1 - 2^-8 down to 0."""
    return [
        (_index(float(s)), 1 - s - mp.mpf(2) ** (e - 2), 1 - s)
        for e in range(-8, 0)
        for s in (mp.mpf(2) ** e * (1 + mp.mpf(i) / 4) for i in range(4))
    ]


def _index(x: float) -> int:
    """`segments.segment` of a float, modulo 32."""
    return struct.unpack("<I", struct.pack("<f", x))[0] >> 21 & 31


def _accurate_centre(f: Function, a: Any, b: Any) -> tuple[float, float]:
    """A float near the middle of [a, b] where f is within 2^-9 ulp of a float, and that float (Gal's tables)."""
    for step in range(40960):
        for side in (1, -1):
            centre = round32((a + b) / 2 + side * step * (b - a) / 400000)
            value = f(mp.mpf(centre))
            near = round32(value)
            if abs(value - near) < mp.mpf(2) ** (mp.floor(mp.log(value, 2)) - 23 - 9):
                return centre, near
    raise ValueError(f"no such float within [{a}, {b}]")


def segments(name: str, f: Function, ends: list[tuple[int, Any, Any]], degree: int = 5) -> tuple[float, ...]:
    """A table of `vecmath/segments.py`, row by row: f(c + h) = base + h (t0 + t1 h + ...), or f(h) = h + h (t0 + ...)
    if f(0) = 0.
    """
    rows = [[0.0] * 32 for _ in range(degree + 3)]
    worst = mp.mpf(0)
    for index, a, b in ends:
        centre, base = _accurate_centre(f, a, b) if a else (0.0, float(f(mp.mpf(0))))

        def g(h: Any, centre: float = centre, base: float = base) -> Any:
            if not base:
                return f(h) / h - 1
            return (f(centre + h) - base) / h if abs(h) > mp.mpf(10) ** -9 else mp.diff(f, centre)

        def weight(h: Any, centre: float = centre) -> Any:
            return h / f(centre + h)

        poly, error = remez(g, a - centre, b - centre, degree, weight, grid=120)
        worst = max(worst, error)
        for row, value in zip(rows, (centre, base, *poly), strict=True):
            row[index] = round32(value)
    print(f"{name}.f32: degree {degree}, error 2^{float(mp.log(worst, 2)):.1f}", flush=True)
    return tuple(value for row in rows for value in row)


SEGMENTS: dict[str, tuple[Function, list[tuple[int, Any, Any]]]] = {
    "tanh_segments": (mp.tanh, _upwards(9.5)),
    "erf_segments": (mp.erf, _upwards(4.0)),
    "sigmoid_segments": (
        lambda x: 1 / (1 + mp.exp(x)),
        [(i, max(mp.mpf(2 * i - 1) / 4, mp.mpf(0)), mp.mpf(2 * i + 1) / 4) for i in range(32)],
    ),
    "erfinv_segments": (lambda x: x * _erfinv_w(-mp.log1p(-x * x)), _towards_one()),
}


def log_table() -> tuple[float, ...]:
    """For m near 1 + i/16: c of 6 bits with m c near 1, and -log c in two parts, the first one a multiple of 2^-40."""
    rows: list[tuple[float, float, float]] = []
    for i in range(16):
        ends = (mp.mpf(31 + 2 * i) / 32, mp.mpf(33 + 2 * i) / 32)
        tries = [mp.mpf(j) / 64 for j in range(32, 65)] if i else [mp.mpf(1)]
        c = min(tries, key=lambda c: max(abs(m * c - 1) for m in ends))
        high = mp.nint(-mp.log(c) * 2**40) / 2**40
        rows.append((float(c), float(high), float(-mp.log(c) - high)))
    return tuple(value for row in zip(*rows, strict=True) for value in row)


def _load() -> dict[str, tuple[float, ...]]:
    """The entries of both files."""
    found: dict[str, tuple[float, ...]] = {}
    for target in (TARGET, TABLES):
        if target.exists():
            found |= runpy.run_path(str(target))["COEFFICIENTS" if target is TARGET else "TABLES"]
    return found


def _written(name: str, about: str, table: dict[str, tuple[float, ...]]) -> list[str]:
    """The lines of a file with one dict of entries."""
    lines = [
        f'"""{about} Generated by benchmarks/minimax.py; do not edit."""',
        "",
        "from __future__ import annotations",
        "",
        "_h = float.fromhex",
        "",
        "# fmt: off",
        f"{name}: dict[str, tuple[float, ...]] = {{",
    ]
    for key in sorted(table):
        lines.append(f'    "{key}": (')
        cells = [f'_h("{c.hex()}"),' for c in table[key]]
        lines += ["        " + " ".join(cells[i : i + 3]) for i in range(0, len(cells), 3)]
        lines.append("    ),")
    return [*lines, "}"]


def main(patterns: list[str]) -> None:
    """Fit the entries whose name contains one of the patterns, and rewrite the table."""
    table = _load()
    keep = {
        f"{name}.{kind}" for name, s in SPECS.items() for kind, d in (("f32", s[4]), ("f64", s[5])) if d is not None
    }
    keep |= {f"{name}.f32" for name in SEGMENTS} | {"log_table.f64"}
    table = {k: v for k, v in table.items() if k in keep}
    for name, (g, a, b, weight, d32, d64) in SPECS.items():
        if patterns and not any(p == name for p in patterns):
            continue
        for kind, degree in (("f32", d32), ("f64", d64)):
            if degree is None:
                continue
            poly, error = remez(g, a, b, degree, weight, grid=300 if name.startswith("erfinv") else 500)
            rounded = tuple((round32 if kind == "f32" else float)(c) for c in poly)
            table[f"{name}.{kind}"] = rounded
            print(f"{name}.{kind}: degree {degree}, error 2^{float(mp.log(error, 2)):.1f}", flush=True)
    for name, (f, ends) in SEGMENTS.items():
        if not patterns or name in patterns:
            table[f"{name}.f32"] = segments(name, f, ends)
    if not patterns or "log_table" in patterns:
        table["log_table.f64"] = log_table()
    for name, value in CONSTANTS.items():
        for kind in ("f32", "f64"):
            parts = []
            for _ in range(3):
                parts.append((round32 if kind == "f32" else float)(value - mp.fsum(parts)))
            table[f"{name}.{kind}"] = tuple(parts)
    for name, value in SHORT.items():
        for kind, bits in (("f32", 14), ("f64", 40)):
            unit = mp.mpf(2) ** (mp.floor(mp.log(value, 2)) + 1 - bits)
            high = mp.nint(value / unit) * unit
            rounding = round32 if kind == "f32" else float
            low = rounding(value - high)
            table[f"{name}_short.{kind}"] = (float(high), low, rounding(value - high - low))
    in_tables = {key for key in table if key.endswith("_segments.f32") or key == "log_table.f64"}
    about = "Tables of local polynomials (see segments.py)."
    TABLES.write_text("\n".join(_written("TABLES", about, {key: table[key] for key in in_tables})) + "\n")
    about = "Polynomial coefficients, lowest power first."
    lines = _written("COEFFICIENTS", about, {key: v for key, v in table.items() if key not in in_tables})
    with mp.workprec(1400):
        for about, name, value in (
            ("floor(2/pi 2^1280)", "TWO_OVER_PI", 2 / mp.pi),
            ("2 log(2) / pi, likewise", "TWO_LN2_OVER_PI", 2 * mp.log(2) / mp.pi),
        ):
            digits = f"{int(mp.floor(value * mp.mpf(2) ** 1280)):0320x}"
            parts = [f'    "{digits[i : i + 80]}"' for i in range(0, 320, 80)]
            lines += [f"# {about}", f"{name} = int(", *parts[:-1], parts[-1] + ",", "    16,", ")"]
    TARGET.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
