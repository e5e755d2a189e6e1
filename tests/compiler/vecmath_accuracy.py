"""References and samples for the vector mathematics: the error of each function in units in the last place.

The float functions are compared with NumPy's and SciPy's double ones (whose own errors, under 2^-50, do not show); the
double functions with mpmath at 200 bits or more. One ulp is the spacing of the format at the exact result.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import scipy.special as sp

from known_values import KnownValues

Array = np.ndarray[Any, Any]

REFERENCE32: dict[str, Callable[..., Any]] = {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10,
    "log1p": np.log1p, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2, "sinh": np.sinh, "cosh": np.cosh,
    "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "erf": sp.erf, "erfc": sp.erfc,
    "erfinv": sp.erfinv, "pow": np.power, "lgamma": sp.gammaln, "digamma": sp.psi,
    "sigmoid": lambda x: np.where(x < 0, np.exp(-np.abs(x)), 1) / (1 + np.exp(-np.abs(x))), "hypot": np.hypot,
    "fmod": np.fmod, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc,
    "round": np.rint, "copysign": np.copysign,
}  # fmt: skip


def _mp_erfinv(x: Any) -> Any:
    y = mp.mpf(float(sp.erfinv(float(x)))) if abs(x) < 1 else mp.inf
    before = y + 1
    while abs(y - before) > 2.0**-110 * abs(y):  # Newton: each step doubles the digits
        before = y
        if abs(y) < 0.5:
            y -= (mp.erf(y) - x) * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
        else:
            s = mp.sign(y)
            a, c = abs(y), 1 - abs(x)
            y = s * (a + mp.log(mp.erfc(a) / c) * mp.erfc(a) * mp.sqrt(mp.pi) / 2 * mp.exp(a * a))
    return y


def _doubled(name: str) -> Callable[..., Any]:
    """The float64 kernel itself, which is compared with mpmath: SciPy's functions lose digits near zeros and far
    out.
    """

    def reference(x: Array) -> Array:
        import vecmath_jit as jit

        return jit.compiled(name, True)(x)

    return reference


TABLED = (
    "ellipd",
    "ellipe",
    "ellipk",
    "ellipkm1",
    "erfcx",
    "lambertw",
    "lambertw_1",
    "ndtr",
    "ndtri",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "k0",
    "k0e",
    "k1",
    "k1e",
    "j0",
    "j1",
    "y0",
    "y1",
    "airy_ai",
    "airy_ai_prime",
)
REFERENCE32.update({name: _doubled(name) for name in TABLED})


def _mp_ndtri(p: Any) -> Any:
    goal = min(p, 1 - p)
    z = mp.mpf(float(sp.ndtri(float(goal))))
    for _ in range(6):  # Newton on the lower tail; the start is good to some digits
        tail = mp.erfc(-z / mp.sqrt(2)) / 2
        density = mp.exp(-z * z / 2) / mp.sqrt(2 * mp.pi)
        z -= (tail - goal) / density if goal > 0.4 else mp.log(tail / goal) * tail / density
    return z if p < 0.5 else -z


REFERENCE64: dict[str, Callable[..., Any]] = {
    "exp": mp.exp, "exp2": lambda x: mp.mpf(2) ** x, "expm1": mp.expm1, "log": mp.log, "log2": lambda x: mp.log(x, 2),
    "log10": mp.log10, "log1p": mp.log1p, "sqrt": mp.sqrt, "rsqrt": lambda x: 1 / mp.sqrt(x), "sin": mp.sin,
    "cos": mp.cos, "tan": mp.tan, "asin": mp.asin, "acos": mp.acos, "atan": mp.atan, "atan2": mp.atan2,
    "sinh": mp.sinh, "cosh": mp.cosh, "tanh": mp.tanh, "asinh": mp.asinh, "acosh": mp.acosh, "atanh": mp.atanh,
    "erf": mp.erf, "erfc": mp.erfc, "erfinv": _mp_erfinv, "pow": mp.power,
    "lgamma": lambda x: mp.log(abs(mp.gamma(x))) if x < 0 else mp.loggamma(x), "digamma": mp.digamma,
    "sigmoid": lambda x: mp.exp(x) / (1 + mp.exp(x)), "hypot": mp.hypot,
    "i0e": lambda x: mp.besseli(0, x) * mp.exp(-abs(x)), "i1e": lambda x: mp.besseli(1, x) * mp.exp(-abs(x)),
    "i0": lambda x: mp.besseli(0, x), "i1": lambda x: mp.besseli(1, x), "k0": lambda x: mp.besselk(0, x), "k1": lambda
    x: mp.besselk(1, x),
    "k0e": lambda x: mp.besselk(0, x) * mp.exp(x), "k1e": lambda x: mp.besselk(1, x) * mp.exp(x),
    "j0": lambda x: mp.besselj(0, x), "j1": lambda x: mp.besselj(1, x), "y0": lambda x: mp.bessely(0, x), "y1": lambda
    x: mp.bessely(1, x),
    "airy_ai": mp.airyai, "airy_ai_prime": lambda x: mp.airyai(x, derivative=1),
    "ellipk": mp.ellipk, "ellipe": mp.ellipe, "ellipd": lambda m: mp.elliprd(0, 1 - m, 1) / 3, "ellipkm1": lambda p:
    mp.elliprf(0, p, 1),
    "lambertw": lambda x: mp.lambertw(x).real, "lambertw_1": lambda x: mp.lambertw(x, -1).real,
    "erfcx": lambda x: mp.exp(x * x) * mp.erfc(x), "ndtr": lambda x: mp.erfc(-x / mp.sqrt(2)) / 2, "ndtri": _mp_ndtri,
}  # fmt: skip

# mpmath takes a millisecond and more for one of these.
KNOWN = KnownValues(Path(__file__).parent / "known_values" / "vecmath.json")
KEPT = ("k0", "k0e", "k1", "k1e", "y0", "y1", "ellipd")

# Ranges in which the strata are dense: (low, high) on either side of what is special.
RANGES: dict[str, list[tuple[float, float]]] = {
    "exp": [(-110, 95), (-1, 1)], "exp2": [(-152, 129), (-1, 1)], "expm1": [(-20, 89), (-1.5, 1.5)],
    "log": [(0, 10), (0.5, 2)], "log2": [(0, 10), (0.5, 2)], "log10": [(0, 10), (0.5, 2)],
    "log1p": [(-1, 10), (-0.7, 1.5)], "sqrt": [(0, 10)], "rsqrt": [(0, 10)], "sin": [(-8, 8), (-1e5, 1e5), (-1e9, 1e9)],
    "cos": [(-8, 8), (-1e5, 1e5), (-1e9, 1e9)], "tan": [(-8, 8), (-1e5, 1e5), (-1e9, 1e9)], "asin": [(-1, 1)],
    "acos": [(-1, 1)], "atan": [(-10, 10)], "atan2": [(-10, 10)], "sinh": [(-91, 91), (-2, 2)],
    "cosh": [(-91, 91), (-2, 2)], "tanh": [(-12, 12), (-1, 1)], "asinh": [(-10, 10), (-1, 1)],
    "acosh": [(1, 10), (1, 1.01)], "atanh": [(-1, 1)], "erf": [(-5, 5), (-1.2, 1.2)], "erfc": [(-5, 11), (-1, 1)],
    "erfinv": [(-1, 1), (0.99, 1)], "pow": [(0, 20), (0.9, 1.1)], "lgamma": [(0, 20), (0.5, 3)],
    "digamma": [(0, 20), (0.5, 3)], "sigmoid": [(-105, 20), (-2, 2)], "hypot": [(-10, 10)],
    "i0e": [(-20, 20)], "i1e": [(-20, 20)], "i0": [(-30, 30)], "i1": [(-30, 30)], "k0": [(0, 20), (0, 0.3)], "k1": [(0,
    20), (0, 0.3)],
    "k0e": [(0, 20), (0, 0.3)], "k1e": [(0, 20), (0, 0.3)], "j0": [(-12, 12), (-60, 60)], "j1": [(-12, 12), (-60, 60)],
    "y0": [(0, 12), (0, 60)], "y1": [(0, 12), (0, 60)], "airy_ai": [(-10, 5), (-30, 9)], "airy_ai_prime": [(-10, 5),
    (-30, 9)],
    "erfcx": [(-5, 10), (-0.1, 0.1)], "ndtr": [(-13, 6), (-1, 1)], "ndtri": [(0, 1), (0, 0.01)],
    "ellipk": [(-3, 1), (0.99, 1)], "ellipe": [(-3, 1), (0.99, 1)], "ellipd": [(-3, 1), (0.01, 1)], "ellipkm1": [(0, 3),
    (0, 0.01)],
    "lambertw": [(-0.367, 5), (-0.36, 0.1)], "lambertw_1": [(-0.367, 0), (-0.01, 0)],
}  # fmt: skip
WIDE: dict[str, list[tuple[float, float]]] = {
    "exp": [(-746, 710)], "exp2": [(-1075, 1024)], "expm1": [(-40, 710)], "sinh": [(-711, 711)], "cosh": [(-711, 711)],
    "sigmoid": [(-746, 40)], "tanh": [(-24, 24)], "erf": [(-6.2, 6.2)], "erfc": [(-6.2, 27.3)],
    "erfcx": [(-26.6, 100)], "ndtr": [(-37.5, 9)], "i0": [(-713, 713)], "i1": [(-713, 713)], "k0": [(0, 705)],
    "k1": [(0, 705)],
}  # fmt: skip


@functools.cache
def bit_patterns32() -> Array:
    """Every 4099th float, about a million."""
    return np.arange(0, 1 << 32, 4099, dtype=np.uint64).astype(np.uint32).view(np.float32)


def samples32(name: str, arity: int) -> list[Array]:
    """Float arguments: the bit patterns and the dense strata."""
    rng = np.random.default_rng(7)
    dense = [rng.uniform(a, b, 60_000).astype(np.float32) for a, b in RANGES.get(name, [(-10, 10)])]
    x = np.concatenate([bit_patterns32(), *dense])
    if arity == 1:
        return [x]
    others = [rng.uniform(-30, 30, d.size).astype(np.float32) for d in dense]
    return [x, np.concatenate([rng.permutation(bit_patterns32()), *others])]


def samples64(name: str, arity: int, count: int = 1500) -> list[Array]:
    """Double arguments: `count` bit patterns, and as many in each dense stratum."""
    rng = np.random.default_rng(11)
    bits = rng.integers(0, 1 << 63, count, dtype=np.uint64) | (rng.integers(0, 2, count, dtype=np.uint64) << 63)
    ranges = RANGES.get(name, [(-10, 10)]) + WIDE.get(name, [])
    dense = [rng.uniform(a, b, count) for a, b in ranges]
    dense.append(np.ldexp(rng.uniform(-1, 1, count), rng.integers(-40, 4, count)))  # towards zero
    if name == "erfinv":
        dense.append(1 - np.ldexp(rng.uniform(0.5, 1, count), rng.integers(-53, -1, count)))
    if name == "acosh":
        dense.append(1 + np.ldexp(rng.uniform(0.5, 1, count), rng.integers(-50, 10, count)))
    x = np.concatenate([bits.view(np.float64), *dense])
    if arity == 1:
        return [x]
    other = [rng.uniform(-30, 30, d.size) for d in dense]
    if name == "pow":
        other[0] = rng.uniform(-200, 200, count)
        other[1] = rng.uniform(-7000, 7000, count)
    return [x, np.concatenate([rng.permutation(x[:count]), *other])]


def ulp_errors32(name: str, got: Array, args: list[Array]) -> Array:
    """The errors in ulp: 0 where the result is infinite or NaN as it should be, infinite where it is not."""
    with np.errstate(all="ignore"):
        exact = REFERENCE32[name](*[a.astype(np.float64) for a in args])
        rounded = exact.astype(np.float32)
        size = np.minimum(np.abs(exact), float(np.finfo(np.float32).max)).astype(np.float32)
        # the spacing of the binade that holds the exact value
        above = size.astype(np.float64) > np.abs(exact)
        size = np.where(above, np.nextafter(size, np.float32(0)), size)
        spacing = np.maximum(np.spacing(size).astype(np.float64), 2.0**-149)
        error = np.abs(got.astype(np.float64) - exact) / spacing
    same = (got == rounded) & ~np.isfinite(rounded) | (np.isnan(got) & np.isnan(exact))
    error = np.where(same, 0.0, error)
    return np.where(np.isnan(error), np.inf, error)


def ulp_errors64(name: str, got: Array, args: list[Array]) -> Array:
    """The same for doubles, against mpmath; arguments whose exact result is not a finite real number give 0."""
    points = list(zip(*[a.tolist() for a in args], strict=True))
    kept = KNOWN.values(name, lambda *xs: _exact64(name, xs), points) if name in KEPT else None
    out = np.zeros(got.size)
    largest = mp.mpf(float(np.finfo(np.float64).max))
    for i, (g, xs) in enumerate(zip(got.tolist(), points, strict=True)):
        with mp.workprec(200):
            exact = _exact64(name, xs) if kept is None else kept[i]
            if exact is None:
                continue
            if abs(exact) >= largest:
                out[i] = 0.0 if np.isinf(g) or abs(exact) < largest * (1 + mp.mpf(2) ** -54) else np.inf
                continue
            if not np.isfinite(g):
                out[i] = np.inf
                continue
            exponent = int(mp.floor(mp.log(abs(exact), 2))) if exact != 0 else -1074
            spacing = mp.mpf(2) ** max(exponent - 52, -1074)
            out[i] = float(abs(mp.mpf(g) - exact) / spacing)
    return out


def _exact64(name: str, xs: tuple[float, ...]) -> Any:
    """The exact result; None where it is no finite real number."""
    if not all(math.isfinite(x) for x in xs):
        return None
    need = max(math.frexp(x)[1] for x in xs) if name in ("sin", "cos", "tan") else 0
    with mp.workprec(200 + max(0, need)):
        try:
            exact = _reference64(name, xs)
        except (ValueError, ZeroDivisionError):
            return None
        return None if exact is None or isinstance(exact, mp.mpc) or not mp.isfinite(exact) else exact


def _reference64(name: str, xs: tuple[float, ...]) -> Any:
    """What mpmath says, or None where it would take for ever and the limit is plain."""
    x = xs[0]
    if name in ("exp", "expm1", "sinh", "cosh", "sigmoid", "exp2", "tanh", "erf", "erfc") and abs(x) > 1200:
        return None
    if name in ("expm1", "sinh", "tanh", "erf", "asinh", "sin", "tan", "asin", "atan", "atanh", "log1p") and (
        abs(x) < 2.0**-200
    ):
        return mp.mpf(x) * (2 / mp.sqrt(mp.pi) if name == "erf" else 1)
    if name == "pow" and (x <= 0 or abs(xs[1]) * abs(float(np.log(x))) > 800):
        return None
    if name in ("lgamma", "digamma") and (x > 1e300 or x < -1e4 or x == np.floor(x) and x <= 0):
        return None
    if name in ("acosh",) and abs(x) < 1 or name in ("asin", "acos", "atanh", "erfinv") and abs(x) >= 1:
        return None
    if name in TABLED and (abs(x) > 1e3 or abs(x) < 1e-100 or x <= 0 and name[0] in "ky"):
        return None
    if name.startswith("ellip") and (x > 1 - 1e-12 if name != "ellipkm1" else x <= 0 or abs(x) > 1e3):
        return None
    if name.startswith("lambertw") and (x < -0.367 or x >= 0 and name == "lambertw_1"):
        return None
    if name == "ndtri" and not 0 < x < 1 or name == "erfcx" and x < -26.6:
        return None
    if name in ("log", "log2", "log10", "rsqrt", "sqrt") and x <= 0 or name == "log1p" and x <= -1:
        return None
    return REFERENCE64[name](*[mp.mpf(v) for v in xs])
