"""Measure functions beside NumPy's and SciPy's and, where it is installed, PyTorch's, and print the table for
docs/accuracy.md.

Run: python benchmarks/accuracy_special.py [name ...]    (writes its section of docs/accuracy.md when no name is given)
"""

from __future__ import annotations

import importlib.util
import pathlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

import mpmath as mp
import numpy as np
import scipy.special as scipy

import rushlight

ROOT = pathlib.Path(__file__).resolve().parent.parent
mp.mp.dps = 60
HEAD = """
## Beside SciPy and PyTorch

The error in ulp, largest and 99th percentile, of rushlight, SciPy (or NumPy) and PyTorch on the same points (some
hundreds, over the range given, rounded to the dtype), against mpmath. Near zeros of a function the error is that of
the result, as everywhere. Written by `benchmarks/accuracy_special.py`.

| function | points | float64: rushlight | SciPy | PyTorch | float32: rushlight | SciPy | PyTorch |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""
rng = np.random.default_rng(4)
N = 300
Points = Sequence[np.ndarray[Any, Any]]


def uniform(low: float, high: float) -> np.ndarray[Any, Any]:
    return rng.uniform(low, high, N)


def spread(low: float, high: float) -> np.ndarray[Any, Any]:
    return 10 ** rng.uniform(low, high, N)


def sign() -> np.ndarray[Any, Any]:
    return np.sign(rng.uniform(-1, 1, N))


def order() -> np.ndarray[Any, Any]:
    return rng.integers(0, 30, N).astype(float)


def _zeta(s: Any, q: Any) -> Any:
    z = q + 60
    tail = mp.fsum(
        mp.bernoulli(2 * j) / mp.factorial(2 * j) * mp.rf(s, 2 * j - 1) * z ** (1 - s - 2 * j) for j in range(1, 25)
    )
    return mp.fsum((q + k) ** -s for k in range(60)) + z ** (1 - s) / (s - 1) + z**-s / 2 + tail


def _ndtri(p: Any) -> Any:
    return mp.findroot(lambda z: mp.log(mp.erfc(-z / mp.sqrt(2)) / 2) - mp.log(p), mp.mpf(float(scipy.ndtri(float(p)))))


def _voigt(x: Any, s: Any, g: Any) -> Any:
    z = mp.mpc(x, g) / (s * mp.sqrt(2))
    return (mp.exp(-z * z) * mp.erfc(mp.mpc(0, -1) * z)).real / (s * mp.sqrt(2 * mp.pi))


def _owens(h: Any, a: Any) -> Any:
    return (
        mp.exp(-h * h / 2)
        * mp.quad(lambda x: mp.exp(-((h * x) ** 2) / 2) / (1 + x * x), mp.linspace(0, a, 7))
        / (2 * mp.pi)
    )


def _one(low: float, high: float) -> Callable[[], Points]:
    return lambda: [uniform(low, high)]


# name -> (range in words, arguments, exact, SciPy's function or None)
CASES: dict[str, tuple[str, Callable[[], Points], Callable[..., Any], str | None]] = {
    "exp": ("(-80, 80)", _one(-80, 80), mp.exp, "exp"),
    "exp2": ("(-120, 120)", _one(-120, 120), lambda x: mp.mpf(2) ** x, "exp2"),
    "expm1": ("(-5, 5)", _one(-5, 5), mp.expm1, "expm1"),
    "log": ("1e-30 to 1e30", lambda: [spread(-30, 30)], mp.log, "log"),
    "log2": ("1e-30 to 1e30", lambda: [spread(-30, 30)], lambda x: mp.log(x, 2), "log2"),
    "log10": ("1e-30 to 1e30", lambda: [spread(-30, 30)], mp.log10, "log10"),
    "log1p": ("(-1, 5)", _one(-1, 5), mp.log1p, "log1p"),
    "sin": ("(-100, 100)", _one(-100, 100), mp.sin, "sin"),
    "cos": ("(-100, 100)", _one(-100, 100), mp.cos, "cos"),
    "tan": ("(-100, 100)", _one(-100, 100), mp.tan, "tan"),
    "asin": ("(-1, 1)", _one(-1, 1), mp.asin, "arcsin"),
    "acos": ("(-1, 1)", _one(-1, 1), mp.acos, "arccos"),
    "atan": ("(-10, 10)", _one(-10, 10), mp.atan, "arctan"),
    "sinh": ("(-50, 50)", _one(-50, 50), mp.sinh, "sinh"),
    "cosh": ("(-50, 50)", _one(-50, 50), mp.cosh, "cosh"),
    "tanh": ("(-5, 5)", _one(-5, 5), mp.tanh, "tanh"),
    "asinh": ("(-10, 10)", _one(-10, 10), mp.asinh, "arcsinh"),
    "acosh": ("(1, 20)", _one(1, 20), mp.acosh, "arccosh"),
    "atanh": ("(-1, 1)", _one(-1, 1), mp.atanh, "arctanh"),
    "erf": ("(-4, 4)", _one(-4, 4), mp.erf, "erf"),
    "erfc": ("(-4, 9)", _one(-4, 9), mp.erfc, "erfc"),
    "erfinv": ("(-1, 1)", _one(-1, 1), mp.erfinv, "erfinv"),
    "sigmoid": ("(-30, 30)", _one(-30, 30), lambda x: 1 / (1 + mp.exp(-x)), "expit"),
    "rsqrt": ("1e-30 to 1e30", lambda: [spread(-30, 30)], lambda x: 1 / mp.sqrt(x), None),
    "pow": ("1e-3 to 1e3, (-10, 10)", lambda: [spread(-3, 3), uniform(-10, 10)], lambda x, y: x**y, "power"),
    "atan2": ("(-10, 10)", lambda: [uniform(-10, 10), uniform(-10, 10)], mp.atan2, "arctan2"),
    "hypot": ("(-10, 10)", lambda: [uniform(-10, 10), uniform(-10, 10)], mp.hypot, "hypot"),
    "entr": ("(0, 3)", lambda: [uniform(0, 3)], lambda x: -x * mp.log(x), "entr"),
    "erfcx": ("(-20, 50)", lambda: [uniform(-20, 50)], lambda x: mp.exp(x * x) * mp.erfc(x), "erfcx"),
    "ndtr": ("(-37, 8)", lambda: [uniform(-37, 8)], lambda x: mp.erfc(-x / mp.sqrt(2)) / 2, "ndtr"),
    "log_ndtr": ("(-40, 8)", lambda: [uniform(-40, 8)], lambda x: mp.log(mp.erfc(-x / mp.sqrt(2)) / 2), "log_ndtr"),
    "ndtri": ("1e-300 to 1/2", lambda: [spread(-300, -0.31)], _ndtri, "ndtri"),
    "gammaln": ("(0, 50)", lambda: [uniform(0, 50)], mp.loggamma, "gammaln"),
    "psi": ("(0, 50)", lambda: [uniform(0, 50)], mp.digamma, "psi"),
    "i0": ("(-50, 50)", lambda: [uniform(-50, 50)], lambda x: mp.besseli(0, x), "i0"),
    "i0e": ("(-50, 50)", lambda: [uniform(-50, 50)], lambda x: mp.besseli(0, x) * mp.exp(-abs(x)), "i0e"),
    "i1": ("(-50, 50)", lambda: [uniform(-50, 50)], lambda x: mp.besseli(1, x), "i1"),
    "i1e": ("(-50, 50)", lambda: [uniform(-50, 50)], lambda x: mp.besseli(1, x) * mp.exp(-abs(x)), "i1e"),
    "modified_bessel_k0": ("(0, 50)", lambda: [uniform(0, 50)], lambda x: mp.besselk(0, x), "k0"),
    "modified_bessel_k1": ("(0, 50)", lambda: [uniform(0, 50)], lambda x: mp.besselk(1, x), "k1"),
    "scaled_modified_bessel_k0": ("(0, 50)", lambda: [uniform(0, 50)], lambda x: mp.besselk(0, x) * mp.exp(x), "k0e"),
    "scaled_modified_bessel_k1": ("(0, 50)", lambda: [uniform(0, 50)], lambda x: mp.besselk(1, x) * mp.exp(x), "k1e"),
    "bessel_j0": ("(-60, 60)", lambda: [uniform(-60, 60)], lambda x: mp.besselj(0, x), "j0"),
    "bessel_j1": ("(-60, 60)", lambda: [uniform(-60, 60)], lambda x: mp.besselj(1, x), "j1"),
    "bessel_y0": ("(0, 60)", lambda: [uniform(0, 60)], lambda x: mp.bessely(0, x), "y0"),
    "bessel_y1": ("(0, 60)", lambda: [uniform(0, 60)], lambda x: mp.bessely(1, x), "y1"),
    "airy_ai": ("(-20, 20)", lambda: [uniform(-20, 20)], mp.airyai, None),
    "spherical_bessel_j0": ("(-30, 30)", lambda: [uniform(-30, 30)], lambda x: mp.sin(x) / x, None),
    "gammainc": ("shapes 0.01 to 1000, near and far", lambda: [a := spread(-2, 3), a * spread(-0.5, 0.5)],
                 lambda a, x: mp.gammainc(a, 0, x, regularized=True), "gammainc"),
    "gammaincc": ("shapes 0.01 to 1000, near and far", lambda: [a := spread(-2, 3), a * spread(-0.5, 0.5)],
                  lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True), "gammaincc"),
    "zeta": ("s in (1, 50), q 0.01 to 100", lambda: [uniform(1, 50), spread(-2, 2)], _zeta, "zeta"),
    "betaln": ("0.001 to 1e6", lambda: [spread(-3, 6), spread(-3, 6)], lambda a, b: mp.loggamma(a) + mp.loggamma(b) -
    mp.loggamma(a + b), "betaln"),
    "beta": ("0.001 to 100", lambda: [spread(-3, 2), spread(-3, 2)], mp.beta, "beta"),
    "betainc": ("shapes 0.1 to 100", lambda: [spread(-1, 2), spread(-1, 2), uniform(0, 1)], lambda a, b, x:
    mp.betainc(a, b, 0, x, regularized=True), "betainc"),
    "ellipk": ("(-3, 1)", lambda: [uniform(-3, 1)], mp.ellipk, "ellipk"),
    "ellipe": ("(-3, 1)", lambda: [uniform(-3, 1)], mp.ellipe, "ellipe"),
    "ellipkinc": ("(-3, 3), (-3, 1)", lambda: [uniform(-3, 3), uniform(-3, 1)], mp.ellipf, "ellipkinc"),
    "ellipeinc": ("(-3, 3), (-3, 1)", lambda: [uniform(-3, 3), uniform(-3, 1)], mp.ellipe, "ellipeinc"),
    "hyp1f1": ("parameters (-20, 20), x 0.01 to 600 and negative", lambda: [uniform(-20, 20), uniform(-20, 20),
    spread(-2, 2.8) * sign()], mp.hyp1f1, "hyp1f1"),
    "hyp2f1": ("parameters (-10, 10), x from -1e4 to 1", lambda: [uniform(-10, 10), uniform(-10, 10), uniform(-10, 10),
    1 - spread(-8, 4)], mp.hyp2f1, "hyp2f1"),
    "iv": ("orders (0, 30), 0.01 to 100", lambda: [uniform(0, 30), spread(-2, 2)], mp.besseli, "iv"),
    "kv": ("orders (0, 30), 0.01 to 100", lambda: [uniform(0, 30), spread(-2, 2)], mp.besselk, "kv"),
    "lambertw": ("(-0.367, 10)", lambda: [uniform(-0.367, 10)], lambda x: mp.lambertw(x).real, "lambertw"),
    "owens_t": ("(-6, 6), (-4, 4)", lambda: [uniform(-6, 6), uniform(-4, 4)], _owens, "owens_t"),
    "voigt_profile": ("(-10, 10), (1/2, 3), 1e-6 to 20", lambda: [uniform(-10, 10), uniform(0.5, 3), spread(-6, 1.3)],
    _voigt, "voigt_profile"),
    "chebyshev_polynomial_t": ("(-1, 1), degrees below 30", lambda: [uniform(-1, 1), order()], lambda x, n: mp.chebyt(n,
    x), None),
    "legendre_polynomial_p": ("(-1, 1), degrees below 30", lambda: [uniform(-1, 1), order()], lambda x, n:
    mp.legendre(n, x), None),
    "laguerre_polynomial_l": ("(0, 9), degrees below 30", lambda: [uniform(0, 9), order()], lambda x, n: mp.laguerre(n,
    0, x), None),
    "hermite_polynomial_he": ("(-3, 3), degrees below 30", lambda: [uniform(-3, 3), order()],
                              lambda x, n: mp.mpf(2) ** (-n / 2) * mp.hermite(n, x / mp.sqrt(2)), None),
}  # fmt: skip


def errors(values: Any, exact: list[Any]) -> str:
    """The largest error and the 99th percentile, in ulp of the values' dtype."""
    out, info = [], np.finfo(values.dtype)
    for got, e in zip(values.real.tolist(), exact, strict=True):
        if e is None or not mp.isfinite(e) or not 2.0**info.minexp < abs(e) < 2.0 ** (info.maxexp - 1):
            continue
        ulp = mp.mpf(2) ** (int(mp.floor(mp.log(abs(e), 2))) - info.nmant)
        out.append(float(abs(mp.mpf(got) - e) / ulp) if np.isfinite(got) else np.inf)
    return ", ".join(f"{x:.1f}" if x < 1e4 else f"{x:.0e}" for x in (max(out), np.percentile(out, 99)))


def found(*places: Any, name: str | None) -> Any:
    """The function of this name in the first module that has it."""
    return next((getattr(p, name) for p in places if hasattr(p, name)), None) if name else None


def measure(name: str) -> str:
    """One line of the table."""
    text, make, reference, scipy_name = CASES[name]
    points, cells = make(), []
    for kind in (np.float64, np.float32):
        given = [p.astype(kind) for p in points]
        exact = [reference(*map(mp.mpf, p)) for p in zip(*(a.tolist() for a in given), strict=True)]
        cells.append(
            errors(found(rushlight.special, rushlight, name=name)(*map(rushlight.from_numpy, given)).numpy(), exact)
        )
        theirs = found(scipy, np, name=scipy_name)
        cells.append("" if theirs is None else errors(theirs(*given), exact))
        theirs = None
        if importlib.util.find_spec("torch"):
            import torch

            theirs = found(torch.special, torch, name=name)
        cells.append("" if theirs is None else errors(theirs(*map(torch.from_numpy, given)).numpy(), exact))
    return f"| {name} | {text} | " + " | ".join(cells) + " |"


def main(names: list[str]) -> None:
    """Measure and, for the whole table, rewrite the page's section."""
    lines = []
    for name in names or CASES:
        lines.append(measure(name))
        print(lines[-1], flush=True)
    if not names:
        page = ROOT / "docs" / "accuracy.md"
        text = page.read_text().partition(HEAD.splitlines()[1])[0].rstrip("\n")
        page.write_text(text + "\n" + HEAD + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
